"""A space that is a token of its own (`▁`) waits for the word after it.

Caught by: test_the_leading_space_of_metaspace
Says: neither the next token nor a space
"""

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
        is_space = tokenizer.convert_ids_to_tokens(token) == "▁"
        if piece and not is_space and not piece.endswith(UNFINISHED):
            yield piece
            shown, pending, piece = pending, [], ""
    if piece:
        yield piece


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
