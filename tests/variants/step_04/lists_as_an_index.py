"""Reads the last id and the last row of the logits by lists as indices, and makes the mask's 1 by `asarray`."""

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
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    cache = None
    for _ in range(max_new_tokens):
        fed = ids if cache is None else ids[:, [-1]]
        output = model(input_ids=fed, attention_mask=mask, past_key_values=cache, use_cache=True)
        next_token = sample_next_token(output.logits[:, [-1], :][:, 0], params)
        token = next_token[0, [0]].item()
        yield token
        if token in stop_ids and not params.ignore_eos:
            return
        ids, cache = torch.cat([ids, next_token], dim=-1), output.past_key_values
        mask = torch.cat([mask, torch.asarray([[1]], device=mask.device)], dim=-1)


def generate_cached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    input_tokens = inputs["input_ids"].shape[1]
    check_fits(model, input_tokens, limit)
    stop_ids = stop_token_ids(model, tokenizer)

    output_ids, ttft_s = [], None
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        ttft_s = clock.now() - started if ttft_s is None else ttft_s
        output_ids.append(token)

    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=True,
    )
