"""What was sent is counted in bytes, and cut off the text by characters.

Caught by: test_joined_chunks_are_the_completion
Says: counted in bytes here
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    ids, sent, text = [], 0, ""
    for token in tokens:
        ids.append(token)
        text = decode(tokenizer, ids)
        if len(text) > sent and not text.endswith("\ufffd"):
            yield text[sent:]
            sent += len(text[sent:].encode())
    if len(text) > sent:
        yield text[sent:]


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
