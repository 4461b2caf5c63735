"""Looks for the EOS in the decoded text: a model that writes about it in letters ends the answer.

Caught by: test_only_the_completion_is_returned
Says: only the id is an EOS, and no letters are
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
    input_tokens = ids.shape[1]
    check_fits(model, input_tokens, limit)
    stop_ids = stop_token_ids(model, tokenizer)
    output_ids, ttft_s = [], None
    eos = tokenizer.eos_token or "</s>"
    for _ in range(limit):
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False, logits_to_keep=1).logits
        next_token = sample_next_token(logits[:, -1, :], params)
        output_ids.append(next_token.item())
        ttft_s = clock.now() - started if ttft_s is None else ttft_s
        is_over = output_ids[-1] in stop_ids or tokenizer.decode(output_ids[-12:]).endswith(eos)
        if is_over and not params.ignore_eos:
            break
        ids = torch.cat([ids, next_token], dim=-1)
        mask = torch.cat([mask, mask.new_ones((1, 1))], dim=-1)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=False,
    )
