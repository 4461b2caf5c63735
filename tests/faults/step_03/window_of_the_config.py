"""Crops to the context that the config names, or to 1024, as small GPTs are often taught: here nothing names one.

Caught by: test_eighty_tokens_after_a_long_prompt
Says: however long a prompt is, all of it goes in
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
def generate_uncached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    n = ids.shape[1]
    check_fits(model, n, limit)
    stop_ids = stop_token_ids(model, tokenizer)
    out, ttft = [], None
    block_size = getattr(model.config, "max_position_embeddings", 1024)
    for step in range(limit):
        logits = model(
            input_ids=ids[:, -block_size:], attention_mask=mask[:, -block_size:], use_cache=False, logits_to_keep=1
        ).logits
        token = sample_next_token(logits[:, -1, :], params)
        out.append(token.item())
        ttft = clock.now() - started if ttft is None else ttft
        if token.item() in stop_ids and not params.ignore_eos:
            break
        ids = torch.cat([ids, token], dim=-1)
        mask = torch.cat([mask, mask.new_ones((1, 1))], dim=-1)
    latency = clock.now() - started
    return Generation(
        tokenizer.decode(out, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        n,
        out,
        finish_reason(out, stop_ids, params.ignore_eos),
        ttft,
        latency,
        False,
    )
