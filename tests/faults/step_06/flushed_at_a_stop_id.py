"""A stop id lets out what was held back, although `ignore_eos` lets the answer go on.

Caught by: test_every_eos_ends_the_stream
Says: with ignore_eos a stop id ends nothing
"""

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
    ids, sent = [], ""
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        ids.append(token)
        text = decode(tokenizer, ids)
        is_last = token in stop_ids or len(ids) == limit
        if len(text) > len(sent) and (is_last or not text.endswith("\ufffd")):
            yield text[len(sent) :]
            sent = text
