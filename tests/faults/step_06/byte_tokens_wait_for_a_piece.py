"""Gathers byte tokens (`<0xF0>` and so on) until an ordinary piece comes: characters side by side come late, in a lump.

Caught by: test_characters_spelled_in_byte_tokens
Says: whole text waits for nothing
"""

import re
from collections.abc import Sequence

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens

UNFINISHED = "\ufffd"


def decode(tokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def detokenize(tokenizer, tokens):
    context, fresh = [], []

    def text():
        return decode(tokenizer, context + fresh)[len(decode(tokenizer, context)) :]

    for token in tokens:
        fresh.append(token)
        if BYTE.fullmatch(str(tokenizer.convert_ids_to_tokens(int(token)))):
            continue
        piece = text()
        if piece and not piece.endswith(UNFINISHED):
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
