"""What was sent is remembered in the module: two streams at once mix.

Caught by: test_two_streams_at_once_do_not_mix
Says: lives in that stream, not in the module
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


state = {}


def detokenize(tokenizer, tokens):
    state["ids"], state["sent"] = [], ""
    for token in tokens:
        state["ids"].append(token)
        text = decode(tokenizer, state["ids"])
        if len(text) > len(state["sent"]) and not text.endswith("\ufffd"):
            yield text[len(state["sent"]) :]
            state["sent"] = text
    if rest := decode(tokenizer, state["ids"])[len(state["sent"]) :]:
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
