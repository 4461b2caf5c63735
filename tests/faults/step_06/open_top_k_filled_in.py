"""Fills in what the request leaves open: without a top_k only the 50 best tokens may come.

Caught by: test_one_seed_gives_one_text_on_both_paths
Says: the request's params go to the token loop whole
"""

from dataclasses import replace

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens

UNFINISHED = "\ufffd"


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    shown, pending, piece = [], [], ""
    for token in tokens:
        pending.append(token)
        piece = decode(tokenizer, shown + pending).removeprefix(decode(tokenizer, shown))
        if piece and not piece.endswith(UNFINISHED):
            yield piece
            shown, pending, piece = pending, [], ""
    if piece:
        yield piece


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    params = params if params.top_k > 0 else replace(params, top_k=50)
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
