"""Hands the mask in by its place, where GPT-2 has its cache.

Caught by: test_the_answer_is_the_librarys_on_llama_and_gpt2
Says: name them
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
def generate_uncached(
    model,
    tokenizer,
    prompt: str,
    max_new_tokens: int | None = None,
    params: SamplingParams | None = None,
    *,
    on_token=lambda token: None,
) -> Generation:
    started = clock.now()
    params = params or SamplingParams()
    limit = max_new_tokens
    if limit is None:
        limit = params.max_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stops = stop_token_ids(model, tokenizer)
    columns, ttft = list(inputs["input_ids"].split(1, dim=1)), None
    n = len(columns)
    while len(columns) < n + limit:
        ids = torch.cat(columns, dim=1)
        out = model(ids, torch.ones_like(ids), use_cache=False)
        columns.append(sample_next_token(out.logits[:, -1], params))
        on_token(columns[-1])
        ttft = clock.now() - started if ttft is None else ttft
        if columns[-1].item() in stops and not params.ignore_eos:
            break
    latency = clock.now() - started
    new = [column.item() for column in columns[n:]]
    return Generation(
        tokenizer.decode(new, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        n,
        new,
        finish_reason(new, stops, params.ignore_eos),
        ttft,
        latency,
        False,
    )
