"""An added token is held back until the next one, since it might be special.

Caught by: test_what_looks_like_a_special_token_is_shown
Says: whole text waits for nothing
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
    added = set(tokenizer.get_added_vocab().values())
    last, unsent, piece = [], [], ""
    for token in tokens:
        unsent.append(token)
        piece = decode(tokenizer, last + unsent)[len(decode(tokenizer, last)) :]
        if piece and not piece.endswith(UNFINISHED) and token not in added:
            yield piece
            last, unsent, piece = unsent, [], ""
    if piece:
        yield piece


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    tokens = decode_tokens(model, inputs, limit, params, stop_token_ids(model, tokenizer))
    return detokenize(tokenizer, tokens)
