"""A thread makes the tokens as fast as it can, and the reader finds them in a queue.

Caught by: test_each_chunk_goes_out_with_its_token
Says: a
  thread makes them unasked
Like: everything_at_the_first_chunk
Unnamed: where the thread is when a piece is taken differs from run to run
"""

import queue
import threading

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
    tokens = queue.Queue()

    def work():
        try:
            for token in decode_tokens(model, inputs, limit, params, stop_ids):
                tokens.put((token, None))
            tokens.put((None, None))
        except BaseException as error:
            tokens.put((None, error))

    def pull():
        while True:
            token, error = tokens.get()
            if error is not None:
                raise error
            if token is None:
                return
            yield token

    threading.Thread(target=work, daemon=True).start()
    yield from detokenize(tokenizer, pull())
