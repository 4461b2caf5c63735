"""A DynamicCache made from the model's config; the mask is a view of a buffer; perf_counter is the clock."""

import time

import torch
from transformers import DynamicCache

from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    cache = DynamicCache(config=model.config)
    ids, end = inputs["input_ids"], inputs["input_ids"].shape[1]
    mask = ids.new_ones((1, end + max_new_tokens))
    mask[:, :end] = inputs["attention_mask"]
    for end in range(end, end + max_new_tokens):
        output = model(input_ids=ids, attention_mask=mask[:, :end], past_key_values=cache, use_cache=True)
        cache, ids = output.past_key_values, sample_next_token(output.logits[:, -1], params)
        yield ids[0, 0].item()
        if ids[0, 0].item() in stop_ids and not params.ignore_eos:
            break


def generate_cached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = time.perf_counter()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    output_ids, ttft_s = [], None
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        if ttft_s is None:
            ttft_s = time.perf_counter() - started
        output_ids.append(token)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=time.perf_counter() - started,
        used_cache=True,
    )
