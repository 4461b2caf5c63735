"""Runs the model with gradients: what decorates the function that makes the stream is over when it is read.

Caught by: test_no_gradients_are_recorded
Says: the grad mode belongs to a thread
"""

import torch

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def stream(model, tokenizer, inputs, limit, params, stop_ids):
    ids, mask, cache, said, sent = inputs["input_ids"], inputs["attention_mask"], None, [], ""
    while len(said) < limit and not (said and said[-1] in stop_ids and not params.ignore_eos):
        output = model(ids, mask, past_key_values=cache, use_cache=True)
        ids = sample_next_token(output.logits[:, -1], params)
        cache, mask = output.past_key_values, torch.cat([mask, torch.ones_like(ids)], dim=1)
        said.append(int(ids))
        text = decode(tokenizer, said)
        if text != sent and not text.endswith("\ufffd"):
            yield text.removeprefix(sent)
            sent = text
    if (text := decode(tokenizer, said)) != sent:
        yield text.removeprefix(sent)


@torch.inference_mode()
def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return stream(model, tokenizer, inputs, limit, params, stop_ids)
