"""Looks for the end a second time, in the tokens' texts: half a character has the same text as any other half.

Caught by: test_every_eos_ends_the_stream
Says: compare ids, and never their text, for by themselves
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    shown, pending, piece = [], [], ""
    for token in tokens:
        pending.append(token)
        piece = decode(tokenizer, shown + pending).removeprefix(decode(tokenizer, shown))
        if piece and not piece.endswith("\ufffd"):
            yield piece
            shown, pending, piece = pending, [], ""
    if piece:
        yield piece


def until_the_end(tokenizer, tokens, stop_ids):
    stop_texts = {tokenizer.decode([token]) for token in stop_ids}
    for token in tokens:
        yield token
        if tokenizer.decode([token]) in stop_texts:
            return


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    tokens = decode_tokens(model, inputs, limit, params, stop_ids)
    return detokenize(tokenizer, tokens if params.ignore_eos else until_the_end(tokenizer, tokens, stop_ids))
