"""The tokens are counted before the first is decoded.

Caught by: test_the_prompt_goes_in_as_step_1_has_it
Says: neither a length nor places
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
    sent = ""
    for end in range(1, len(tokens) + 1):
        text = decode(tokenizer, tokens[:end])
        if text != sent and not text.endswith(UNFINISHED):
            yield text[len(sent) :]
            sent = text


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    tokens = decode_tokens(model, inputs, limit, params, stop_token_ids(model, tokenizer))
    return detokenize(tokenizer, tokens)
