"""One buffer for prompt and answer, views of it for the model; a real tuple comes back; positions are said."""

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
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    prompt_ids = inputs["input_ids"]
    length, total = prompt_ids.shape[1], prompt_ids.shape[1] + limit
    ids = torch.zeros((1, total), dtype=prompt_ids.dtype, device=prompt_ids.device)
    ids[:, :length] = prompt_ids
    mask, positions = torch.ones_like(ids), torch.arange(total, device=ids.device)[None]
    ttft_s, end = None, length
    while end < total:
        logits = model(
            input_ids=ids[:, :end],
            attention_mask=mask[:, :end],
            position_ids=positions[:, :end],
            use_cache=False,
            return_dict=False,
            logits_to_keep=1,
        )[0]
        ids[:, end : end + 1] = sample_next_token(logits[:, -1], params)
        end += 1
        if ttft_s is None:
            ttft_s = clock.now() - started
        if ids[0, end - 1].item() in stop_ids and not params.ignore_eos:
            break
    output_ids = ids[0, length:end].tolist()
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=False,
    )
