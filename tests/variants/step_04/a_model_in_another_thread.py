"""The model runs in a thread of its own, asked for one token at a time; the cache is a StaticCache."""

from concurrent.futures import ThreadPoolExecutor

import torch
from transformers import StaticCache

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def _forward(model, ids, mask, cache, params):
    logits = model(input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True).logits
    return sample_next_token(logits[:, -1, :], params)


def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    ids, length = inputs["input_ids"], inputs["input_ids"].shape[1]
    cache = StaticCache(config=model.config, max_cache_len=length + max_new_tokens)
    with ThreadPoolExecutor(max_workers=1) as pool:
        for length in range(length, length + max_new_tokens):
            mask = torch.ones((1, length), dtype=torch.bool, device=ids.device)
            ids = pool.submit(_forward, model, ids, mask, cache, params).result()
            yield ids.tolist()[0][0]
            if ids.tolist()[0][0] in stop_ids and not params.ignore_eos:
                return


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
