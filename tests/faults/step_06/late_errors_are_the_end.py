"""After ten chunks an error of the model ends the stream quietly: most of the answer is out.

Caught by: test_an_error_of_the_model_reaches_the_consumer
Says: half an answer must not look whole
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens

UNFINISHED = "\ufffd"


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    last, unsent, piece = [], [], ""
    for token in tokens:
        unsent.append(token)
        piece = decode(tokenizer, last + unsent)[len(decode(tokenizer, last)) :]
        if piece and not piece.endswith(UNFINISHED):
            yield piece
            last, unsent, piece = unsent, [], ""
    if piece:
        yield piece


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    tokens = decode_tokens(model, inputs, limit, params, stop_token_ids(model, tokenizer))
    sent = 0
    try:
        for piece in detokenize(tokenizer, tokens):
            sent += 1
            yield piece
    except Exception:
        if sent < 10:
            raise
