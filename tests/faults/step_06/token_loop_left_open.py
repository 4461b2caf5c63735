"""Something still holds the token loop, the module, say, so that it stays open when its reader has left.

Caught by: test_closing_the_stream_closes_the_token_loop
Says: ends with the stream
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


loops = []


def detokenize(tokenizer, tokens):
    loops.append(tokens)

    shown, pending, piece = [], [], ""
    for token in tokens:
        pending.append(token)
        piece = decode(tokenizer, shown + pending)[len(decode(tokenizer, shown)) :]
        if piece and not piece.endswith("\ufffd"):
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
