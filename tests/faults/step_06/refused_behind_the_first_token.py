"""The limit is held against the context once the first token is there.

Caught by: test_what_does_not_fit_is_refused_before_the_model_runs
Says: only after the model had run
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
    stop_ids = stop_token_ids(model, tokenizer)
    tokens = decode_tokens(model, inputs, limit, params, stop_ids)
    first = [token for token in [next(tokens, None)] if token is not None]
    check_fits(model, inputs["input_ids"].shape[1], limit)
    yield from detokenize(tokenizer, chain(first, tokens))
