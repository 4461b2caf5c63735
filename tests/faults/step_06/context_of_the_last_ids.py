"""The last 32 ids are the context of the next piece, wherever the first of them stands.

Caught by: test_characters_spelled_in_byte_tokens
Says: begins in the middle of one
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    context, fresh, piece = [], [], ""
    for token in tokens:
        fresh.append(token)
        text = decode(tokenizer, context + fresh)
        piece = text[len(decode(tokenizer, context)) :]
        if piece and not text.endswith("\ufffd"):
            yield piece
            context, fresh, piece = (context + fresh)[-32:], [], ""
    if piece:
        yield piece


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
