"""Whole characters, but each decoded without what comes before it: Metaspace's spaces are lost.

Caught by: test_special_tokens_are_never_shown, test_the_leading_space_of_metaspace
Says: Decode it together with those before it
Source: sentencepiece#1043
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    pending = []
    for token in tokens:
        pending.append(token)
        text = decode(tokenizer, pending)
        if text and not text.endswith("\ufffd"):
            yield text
            pending = []
    if text := decode(tokenizer, pending):
        yield text


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
