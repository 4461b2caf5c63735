"""From the 120th token on hands in the last 128 ids alone.

Caught by: test_eighty_tokens_after_a_long_prompt
Says: each token hangs on all that came before
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
def generate_uncached(model, tokenizer, prompt, max_new_tokens=None, params=None) -> Generation:
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    n = ids.shape[1]
    check_fits(model, n, limit)
    stops = stop_token_ids(model, tokenizer)
    out, ttft = [], None
    for _ in range(limit):
        cut = -128 if len(out) >= 120 else 0
        logits = model(input_ids=ids[:, cut:], attention_mask=mask[:, cut:], use_cache=False, logits_to_keep=1).logits[
            :, -1
        ]
        token = sample_next_token(logits, params)
        out.append(token.item())
        if ttft is None:
            ttft = clock.now() - started
        if out[-1] in stops and not params.ignore_eos:
            break
        ids = torch.cat([ids, token], dim=-1)
        mask = torch.cat([mask, mask.new_ones(1, 1)], dim=-1)
    latency = clock.now() - started
    text = tokenizer.decode(out, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return Generation(text, n, out, finish_reason(out, stops, params.ignore_eos), ttft, latency, False)
