"""Ids are made tokens and these a string, which skips only the special tokens that `all_special_ids` lists.

Caught by: test_special_tokens_are_never_shown
Says: `all_special_ids` and `convert_ids_to_tokens` know only those that are listed
Like: only_listed_special_tokens_skipped
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.convert_tokens_to_string(tokenizer.convert_ids_to_tokens(ids, skip_special_tokens=True))


def detokenize(tokenizer, tokens):
    ids, sent, text = [], 0, ""
    for token in tokens:
        ids.append(token)
        text = decode(tokenizer, ids)
        if len(text) > sent and not text.endswith("\ufffd"):
            yield text[sent:]
            sent = len(text)
    if len(text) > sent:
        yield text[sent:]


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
