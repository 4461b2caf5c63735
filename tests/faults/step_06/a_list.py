"""All chunks are made first and returned as a list.

Caught by: test_the_answer_is_an_iterator
Says: asks for the next chunk with next()
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
    chunks, ids, sent = [], [], ""
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        ids.append(token)
        text = decode(tokenizer, ids)
        if len(text) > len(sent) and not text.endswith("\ufffd"):
            chunks.append(text[len(sent) :])
            sent = text
    if rest := decode(tokenizer, ids)[len(sent) :]:
        chunks.append(rest)
    return chunks
