"""Endless tokens, cut to length and at the stop id by itertools; the grad mode is switched around each call."""

from itertools import islice

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    tokens = islice(_endless(model, inputs, params), max_new_tokens)
    return tokens if params.ignore_eos else _until(tokens, stop_ids)


def _until(tokens, stop_ids):
    for token in tokens:
        yield token
        if token in stop_ids:
            return


def _endless(model, inputs, params):
    past = {}
    fed = {"input_ids": inputs["input_ids"], "attention_mask": inputs["attention_mask"]}
    while True:
        with torch.set_grad_enabled(False):
            output = model(**fed, **past, use_cache=True)
        token = sample_next_token(output.logits[:, -1, :], params)
        yield token.item()
        past = {"past_key_values": output["past_key_values"]}
        ones = torch.ones((1, fed["attention_mask"].shape[1] + 1), device=token.device)
        fed = {"input_ids": token, "attention_mask": ones}


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
