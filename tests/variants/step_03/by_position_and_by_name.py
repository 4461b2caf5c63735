"""Ids by position, logits out of the output by name, no_grad in a block, TTFT not measured."""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def generate_uncached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    ids, mask, output_ids, ttft_s = inputs["input_ids"], inputs["attention_mask"], [], None
    while True:
        with torch.no_grad():
            out = model(ids, attention_mask=mask, use_cache=False)
        token = sample_next_token(out["logits"][:, -1], params)
        output_ids.append(int(token))
        if len(output_ids) == limit or (not params.ignore_eos and output_ids[-1] in stop_ids):
            break
        ids, mask = torch.hstack([ids, token]), torch.nn.functional.pad(mask, (0, 1), value=1)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=False,
    )
