"""Rounds the latency: short answers take no time.

Caught by: test_readings_run_from_the_arrival
Says: this one is rounded
"""

from collections.abc import Collection, Iterator, Mapping

import torch
from torch import Tensor

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def decode_tokens(
    model, inputs: Mapping[str, Tensor], max_new_tokens: int, params: SamplingParams, stop_ids: Collection[int]
) -> Iterator[int]:
    """Yield the completion's ids one by one, the stopping one included; lazily: n ids taken are n calls of the model.

    The first call takes the whole prompt. Every later one takes the newest token alone, the cache that the call before
    returned, and a mask as long as what is cached and one more. Knows nothing of text.

    Stretch: positions come from the mask, so a prompt padded on the left is right on learned positions as well.
    """
    input_ids, attention_mask = inputs["input_ids"], inputs["attention_mask"]
    position_ids = (attention_mask.cumsum(dim=-1) - 1).clamp(min=0)
    cache = None
    for _ in range(max_new_tokens):
        output = model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        next_token = sample_next_token(output.logits[:, -1, :], params)
        token = next_token.item()
        yield token
        if token in stop_ids and not params.ignore_eos:
            return
        input_ids, cache = next_token, output.past_key_values
        attention_mask = torch.cat([attention_mask, attention_mask.new_ones(next_token.shape)], dim=-1)
        position_ids = position_ids[:, -1:] + 1


def generate_cached(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Generation:
    """As `generate_uncached`, and the same tokens, on top of `decode_tokens`.

    `ttft_s` is read as the first token is there.
    """
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    input_tokens = inputs["input_ids"].shape[1]
    check_fits(model, input_tokens, limit)
    stop_ids = stop_token_ids(model, tokenizer)

    output_ids: list[int] = []
    ttft_s = None
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        ttft_s = clock.now() - started if ttft_s is None else ttft_s
        output_ids.append(token)

    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=round(clock.now() - started, 2),
        used_cache=True,
    )
