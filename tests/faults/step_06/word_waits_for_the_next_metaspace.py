"""Takes a word for whole only when the next one begins with `▁`: where tokens are words, each comes one token late.

Caught by: test_the_leading_space_of_metaspace
Says: here the next token is taken before this one's text goes out
"""

from collections.abc import Sequence

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens

UNFINISHED = "\ufffd"


def decode(tokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    words = any(t.startswith("\u2581") for t in tokenizer.get_vocab())
    context, fresh = [], []

    def text():
        return decode(tokenizer, context + fresh)[len(decode(tokenizer, context)) :]

    for token in tokens:
        if words and fresh and str(tokenizer.convert_ids_to_tokens(token)).startswith("\u2581") and (piece := text()):
            yield piece
            context, fresh = fresh, []
        fresh.append(token)
        if not words and (piece := text()) and not piece.endswith(UNFINISHED):
            yield piece
            context, fresh = fresh, []
    if piece := text():
        yield piece


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
