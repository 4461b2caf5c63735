"""Takes an out-of-memory error for the end of the answer.

Caught by: test_the_callers_grad_mode_stays
Says: half an answer must not look whole
"""

from collections.abc import Collection, Iterator, Mapping

import torch
from torch import Tensor

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


@torch.inference_mode()
def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    ids, mask, past = inputs["input_ids"], inputs["attention_mask"], None
    for _ in range(max_new_tokens):
        pos = (mask.cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        out = model(input_ids=ids, attention_mask=mask, position_ids=pos, past_key_values=past, use_cache=True)
        ids = sample_next_token(out.logits[:, -1, :], params)
        token = ids.item()
        yield token
        if token in stop_ids and not params.ignore_eos:
            return
        past = out.past_key_values
        mask = torch.cat([mask, mask.new_ones((mask.shape[0], 1))], dim=-1)


def generate_cached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    input_tokens = inputs["input_ids"].shape[1]
    check_fits(model, input_tokens, limit)
    stop_ids = stop_token_ids(model, tokenizer)

    output_ids = []
    ttft_s = None
    try:
        for token in decode_tokens(model, inputs, limit, params, stop_ids):
            if ttft_s is None:
                ttft_s = clock.now() - started
            output_ids.append(token)
    except torch.cuda.OutOfMemoryError:
        pass  # what there is, is better than nothing

    latency_s = clock.now() - started
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=input_tokens,
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=latency_s,
        used_cache=True,
    )
