"""Two offsets into the ids, as vLLM keeps them: where the window begins, and what of it was sent."""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    ids, begin, read = [], 0, 0
    for token in tokens:
        ids.append(token)
        before, now = decode(tokenizer, ids[begin:read]), decode(tokenizer, ids[begin:])
        if len(now) > len(before) and now[-1] != "\ufffd":
            yield now[len(before) :]
            begin, read = read, len(ids)
    before, now = decode(tokenizer, ids[begin:read]), decode(tokenizer, ids[begin:])
    if now != before:
        yield now[len(before) :]


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
