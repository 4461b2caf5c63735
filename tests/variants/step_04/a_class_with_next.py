"""The iterator is a class with __next__; positions and cache_position are said; forward is called by name."""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


class Decoder:
    def __init__(self, model, inputs, max_new_tokens, params, stop_ids):
        self.model, self.params, self.stop_ids, self.left = model, params, stop_ids, max_new_tokens
        self.ids, self.seen, self.cache = inputs["input_ids"], 0, None

    def __iter__(self):
        return self

    def __next__(self):
        if self.left < 1:
            raise StopIteration
        self.left -= 1
        token = self._forward()
        if token in self.stop_ids and not self.params.ignore_eos:
            self.left = 0
        return token

    @torch.inference_mode()
    def _forward(self):
        end = self.seen + self.ids.shape[1]
        places = torch.arange(self.seen, end, device=self.ids.device)
        out = self.model.forward(
            input_ids=self.ids,
            attention_mask=torch.ones((1, end), dtype=torch.long, device=self.ids.device),
            position_ids=places.unsqueeze(0),
            cache_position=places,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        self.ids, self.seen, self.cache = sample_next_token(out.logits[:, 0], self.params), end, out["past_key_values"]
        return self.ids.item()


def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    return Decoder(model, inputs, max_new_tokens, params, stop_ids)


def generate_cached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    output_ids, ttft_s = [], None
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        if ttft_s is None:
            ttft_s = clock.now() - started
        output_ids.append(token)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=True,
    )
