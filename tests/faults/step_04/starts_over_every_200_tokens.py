"""After every 200 tokens the whole sequence goes in again, without the cache.

Caught by: test_eighty_tokens_after_a_long_prompt
Says: no call starts over
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
    input_ids, attention_mask, cache = inputs["input_ids"], inputs["attention_mask"], None
    ids = input_ids
    for made in range(max_new_tokens):
        output = model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            past_key_values=cache,
            use_cache=True,
            position_ids=(attention_mask.cumsum(-1) - 1).clamp(min=0)[:, -input_ids.shape[1] :],
        )
        next_token = sample_next_token(output.logits[:, -1, :], params)
        token = next_token.item()
        yield token
        if token in stop_ids and not params.ignore_eos:
            return
        input_ids, cache = next_token, output.past_key_values
        attention_mask = torch.cat([attention_mask, attention_mask.new_ones((1, 1))], dim=-1)
        ids = torch.cat([ids, next_token], -1)
        if made % 200 == 199:
            input_ids, cache = ids, None


def generate_cached(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Generation:
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
        output_ids.append(token)
        if ttft_s is None:
            ttft_s = clock.now() - started

    latency_s = clock.now() - started
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=latency_s,
        used_cache=True,
    )
