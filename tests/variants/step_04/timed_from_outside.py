"""The first token is taken with next(), the rest with list(); the iterator is a map over a callable."""

import torch

from shared import clock
from shared.generation import Generation, finish_reason
from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def decode_tokens(model, inputs, max_new_tokens, params, stop_ids):
    state = {"ids": inputs["input_ids"], "mask": inputs["attention_mask"], "past": None, "left": max_new_tokens}

    @torch.no_grad()
    def one():
        if not state["left"]:
            return None
        out = model(state["ids"], attention_mask=state["mask"], past_key_values=state["past"], use_cache=True)
        state["ids"] = sample_next_token(out.logits[:, -1, :], params)
        state["mask"] = torch.cat([state["mask"], torch.ones_like(state["ids"])], 1)
        state["past"] = out[1]
        token = state["ids"].item()
        state["left"] = 0 if token in stop_ids and not params.ignore_eos else state["left"] - 1
        return token

    return map(int, iter(one, None))


def generate_cached(model, tokenizer, prompt, max_new_tokens=None, params=None):
    started = clock.now()
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    tokens = decode_tokens(model, inputs, limit, params, stop_ids)
    output_ids = [next(tokens)]
    ttft_s = clock.now() - started
    output_ids.extend(tokens)
    return Generation(
        text=tokenizer.decode(output_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
        input_tokens=inputs["input_ids"].shape[1],
        output_ids=output_ids,
        finish_reason=finish_reason(output_ids, stop_ids, params.ignore_eos),
        ttft_s=ttft_s,
        latency_s=clock.now() - started,
        used_cache=True,
    )
