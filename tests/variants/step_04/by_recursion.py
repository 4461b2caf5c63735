"""Each step yields its token, then everything that the next step yields; greedy needs no sampler."""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    return _from(model, inputs["input_ids"], inputs["attention_mask"], None, max_new_tokens, params, set(stop_ids))


@torch.inference_mode()
def _step(model, ids, mask, past, params):
    out = model(input_ids=ids, attention_mask=mask, past_key_values=past, use_cache=True)
    row = out.logits[:, -1, :]
    token = row.argmax(-1)[:, None] if params.is_greedy else sample_next_token(row, params)
    return token, out.past_key_values


def _from(model, ids, mask, past, left, params, stop_ids):
    if left <= 0:
        return
    token, past = _step(model, ids, mask, past, params)
    yield token.item()
    if params.ignore_eos or token.item() not in stop_ids:
        longer = torch.nn.functional.pad(mask, (0, 1), value=1)
        yield from _from(model, token, longer, past, left - 1, params, stop_ids)


def generate_cached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    output_ids, ttft_s = [], None
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        if ttft_s is None:
            ttft_s = clock.now() - started
        output_ids.append(token)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=True,
    )
