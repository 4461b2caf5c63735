"""What is left at the end is decoded without the piece before it.

Caught by: test_the_leading_space_of_metaspace
Says: what is left at the end is decoded alone here
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    context, pending = [], []
    for token in tokens:
        pending.append(token)
        piece = decode(tokenizer, context + pending).removeprefix(decode(tokenizer, context))
        if piece and not piece.endswith("\ufffd"):
            yield piece
            context, pending = pending, []
    if rest := decode(tokenizer, pending):
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
