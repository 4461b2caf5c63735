"""Fills in what the request leaves open: without a top_k it takes that of the model's generation config.

Caught by: test_the_sampler_gets_params_and_the_last_row
Says: hand `params` on as they are
"""

from dataclasses import replace

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def generate_uncached(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Generation:
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    n = ids.shape[1]
    check_fits(model, n, limit)
    said = getattr(getattr(model, "generation_config", None), "top_k", None)
    sampling = replace(params, top_k=said) if params.top_k <= 0 and said else params
    stop_ids = stop_token_ids(model, tokenizer)
    out = []
    for _ in range(limit):
        nxt = sample_next_token(
            model(input_ids=ids, attention_mask=mask, use_cache=False, logits_to_keep=1).logits[:, -1, :], sampling
        )
        out.append(nxt.item())
        if out[-1] in stop_ids and not params.ignore_eos:
            break
        ids, mask = torch.cat([ids, nxt], -1), torch.cat([mask, mask.new_ones(1, 1)], -1)
    latency = clock.now() - started
    text = tokenizer.decode(out, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return Generation(text, n, out, finish_reason(out, stop_ids, params.ignore_eos), None, latency, False)
