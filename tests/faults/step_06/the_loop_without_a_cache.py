"""The stream has a loop of its own, which sends the whole sequence through the model for every token.

Caught by: test_one_token_a_step_through_the_cache
Says: all before it goes through the model again
"""

import torch

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_02_sampling import sample_next_token


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    ids, attention_mask, start = inputs["input_ids"], inputs["attention_mask"], inputs["input_ids"].shape[1]
    sent = ""
    for _ in range(limit):
        with torch.inference_mode():
            logits = model(input_ids=ids, attention_mask=attention_mask).logits
            token = sample_next_token(logits[:, -1, :], params)
            ids = torch.cat([ids, token], dim=-1)
            attention_mask = torch.cat([attention_mask, torch.ones_like(token)], dim=-1)
        text = decode(tokenizer, ids[0, start:])
        if len(text) > len(sent) and not text.endswith("\ufffd"):
            yield text[len(sent) :]
            sent = text
        if token.item() in stop_ids and not params.ignore_eos:
            break
    if rest := decode(tokenizer, ids[0, start:])[len(sent) :]:
        yield rest
