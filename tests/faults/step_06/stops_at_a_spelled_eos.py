"""Looks for the end a second time, in the decoded text: a model that writes about the EOS in letters ends the answer.

Caught by: test_what_looks_like_a_special_token_is_shown
Says: in letters is text, and ends nothing
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


def until_the_end(tokenizer, tokens):
    said = []
    for token in tokens:
        said = [*said[-11:], token]
        yield token
        if tokenizer.eos_token and tokenizer.decode(said).endswith(tokenizer.eos_token):
            return


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    tokens = decode_tokens(model, inputs, limit, params, stop_ids)
    return detokenize(tokenizer, tokens if params.ignore_eos else until_the_end(tokenizer, tokens))
