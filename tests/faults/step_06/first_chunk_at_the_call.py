"""The first chunk is fetched at the call, so that an error comes before the headers, and may take many tokens.

Caught by: test_the_call_runs_at_most_the_prefill
Says: `next` at the call does not ask for one token
"""

from itertools import chain

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    ids, sent = [], ""
    for token in tokens:
        ids.append(token)
        text = decode(tokenizer, ids)
        if len(text) > len(sent) and not text.endswith("\ufffd"):
            yield text[len(sent) :]
            sent = text

    rest = decode(tokenizer, ids)[len(sent) :]
    if rest:
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    chunks = detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
    first = [chunk for chunk in [next(chunks, None)] if chunk]
    return chain(first, chunks)
