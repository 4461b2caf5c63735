"""An inner generator makes the tokens, the outer function collects them; sets the grad mode by hand and back."""

from itertools import islice

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def _tokens(model, inputs, params, stop_ids):
    inputs = {name: tensor for name, tensor in inputs.items()}
    while True:
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        try:
            out = model(**inputs, use_cache=False)
        finally:
            torch.set_grad_enabled(before)
        token = sample_next_token(out.logits.detach()[:, -1, :], params)
        yield token.item()
        if token.item() in stop_ids and not params.ignore_eos:
            return
        inputs["input_ids"] = torch.cat([inputs["input_ids"], token], -1)
        inputs["attention_mask"] = torch.cat([inputs["attention_mask"], torch.ones_like(token)], -1)


def generate_uncached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    output_ids, ttft_s = [], None
    for token in islice(_tokens(model, inputs, params, stop_ids), limit):
        ttft_s = clock.now() - started if not output_ids else ttft_s
        output_ids.append(token)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=False,
    )
