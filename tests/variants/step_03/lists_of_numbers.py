"""Keeps plain numbers and makes tensors of them at every call; its own short cut where nothing is drawn."""

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
    prompt_ids, device = inputs["input_ids"][0].tolist(), inputs["input_ids"].device
    output_ids, ttft_s = [], None
    for _ in range(limit):
        ids = torch.tensor([prompt_ids + output_ids]).to(device)
        with torch.no_grad():
            row = model(ids, attention_mask=torch.ones(ids.shape, device=device), use_cache=False).logits[0, -1]
        if params.temperature <= 0 or params.top_k == 1:
            output_ids += [row.argmax().item()]
        else:
            output_ids += sample_next_token(row[None], params)[0].tolist()
        ttft_s = clock.now() - started if ttft_s is None else ttft_s
        if not params.ignore_eos and stop_ids.intersection(output_ids[-1:]):
            break
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=False,
    )
