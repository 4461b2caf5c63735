"""No loop at all: pieces are mapped from the tokens, empty ones filtered out, the rest chained on."""

from itertools import chain

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    ids, sent = [], [""]

    def push(token):
        ids.append(token)
        text = decode(tokenizer, ids)
        return "" if text.endswith("\ufffd") else advance(text)

    def advance(text):
        piece, sent[0] = text[len(sent[0]) :], max(text, sent[0], key=len)
        return piece

    pieces = map(push, decode_tokens(model, inputs, limit, params, stop_ids))
    last = (advance(decode(tokenizer, ids)) for _ in range(1))
    return filter(None, chain(pieces, last))
