"""`if cache` tells the prefill from the other calls.

Caught by: test_every_later_call_takes_the_newest_token_alone
Says: A cache may count as False
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
    input_ids, attention_mask, cache = inputs["input_ids"], inputs["attention_mask"], None
    all_ids = input_ids
    for _ in range(max_new_tokens):
        step_ids = all_ids[:, -1:] if cache else all_ids
        output = model(input_ids=step_ids, attention_mask=attention_mask, past_key_values=cache, use_cache=True)
        cache = output.past_key_values
        nxt = sample_next_token(output.logits[:, -1], params)
        yield nxt.item()
        if nxt.item() in stop_ids and not params.ignore_eos:
            return
        all_ids = torch.cat([all_ids, nxt], dim=-1)
        attention_mask = torch.cat([attention_mask, torch.ones_like(nxt)], dim=-1)


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
