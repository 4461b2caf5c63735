"""The loop is an object with a step method; stop ids are a tensor; the mask is boolean."""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


class Uncached:
    def __init__(self, model, inputs, params):
        self.model, self.params = model, params
        self.ids, self.start = inputs["input_ids"].clone(), inputs["input_ids"].shape[-1]

    @torch.no_grad()
    def step(self):
        mask = torch.ones_like(self.ids, dtype=torch.bool)
        out = self.model(input_ids=self.ids, attention_mask=mask, use_cache=False, logits_to_keep=1)
        token = sample_next_token(out.logits.squeeze(1), self.params)
        self.ids = torch.cat([self.ids, token.to(self.ids)], dim=1)
        return token

    @property
    def made(self):
        return self.ids[0, self.start :].tolist()


def generate_uncached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    stops = torch.tensor(sorted(stop_ids), device=inputs["input_ids"].device)
    loop, ttft_s = Uncached(model, inputs, params), None
    for _ in range(limit):
        token = loop.step()
        if ttft_s is None:
            ttft_s = clock.now() - started
        if not params.ignore_eos and torch.isin(token, stops).item():
            break
    output_ids = loop.made
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=False,
    )
