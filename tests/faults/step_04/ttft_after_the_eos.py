"""Leaves the loop at an EOS before it reads TTFT: an answer that is nothing but an EOS has none.

Caught by: test_readings_run_from_the_arrival
Says: An answer of a single token has a first token too, and an EOS is one
"""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    ids, mask, cache = inputs["input_ids"], inputs["attention_mask"], None
    for _ in range(max_new_tokens):
        positions = (mask.cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        out = model(input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True)
        chosen = sample_next_token(out.logits[:, -1, :], params)
        token = int(chosen)
        yield token
        if token in stop_ids and not params.ignore_eos:
            return
        ids, cache = chosen.reshape(1, 1), out.past_key_values
        mask = torch.cat([mask, mask.new_ones(1, 1)], dim=-1)


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
        if token in stop_ids and not params.ignore_eos:
            break
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
