"""The loop is a function that calls itself; the caller's dict goes in as keywords; the clock is Python's."""

import time

import torch

from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def generate_uncached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    begin = time.perf_counter_ns()
    params = SamplingParams() if params is None else params
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    prompt_tokens = inputs["input_ids"].size(-1)
    check_fits(model, prompt_tokens, limit)
    stop_ids = frozenset() if params.ignore_eos else stop_token_ids(model, tokenizer)
    with torch.inference_mode():
        output_ids = _rest(model, dict(inputs), limit, params, stop_ids)
    text = tokenizer.batch_decode([output_ids], skip_special_tokens=True, clean_up_tokenization_spaces=False)[0]
    reason = finish_reason(output_ids, stop_ids, params.ignore_eos)
    latency_s = (time.perf_counter_ns() - begin) / 1e9
    return Generation(text, prompt_tokens, output_ids, reason, None, latency_s, False)


def _rest(model, inputs, limit, params, stop_ids):
    token = sample_next_token(model.forward(**inputs).logits[:, -1, :], params)
    made = token.flatten().tolist()
    if limit == 1 or made[0] in stop_ids:
        return made
    ids = torch.cat((inputs["input_ids"], token), 1)
    return made + _rest(model, {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, limit - 1, params, stop_ids)
