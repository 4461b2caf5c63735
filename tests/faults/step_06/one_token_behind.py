"""Each piece waits until the model has made the next token, to know whether it is the last.

Caught by: test_each_chunk_goes_out_with_its_token
Says: the next token is taken before
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    ids, sent, ready = [], "", ""
    for token in tokens:
        if ready:
            yield ready
        ids.append(token)
        text, ready = decode(tokenizer, ids), ""
        if len(text) > len(sent) and not text.endswith("\ufffd"):
            ready, sent = text[len(sent) :], text
    if ready:
        yield ready

    rest = decode(tokenizer, ids)[len(sent) :]
    if rest:
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
