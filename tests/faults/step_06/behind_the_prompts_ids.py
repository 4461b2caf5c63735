"""The last ids of the prompt are the context of the first piece.

Caught by: test_the_leading_space_of_metaspace
Says: not with the prompt's
Unnamed: text put together from the bytes of single tokens keeps that space too
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens, prompt_ids=()):
    ids = list(prompt_ids)[-5:]
    before, read = 0, len(ids)
    for token in tokens:
        ids.append(token)
        old, text = decode(tokenizer, ids[before:read]), decode(tokenizer, ids[before:])
        if len(text) > len(old) and not text.endswith("\ufffd"):
            yield text[len(old) :]
            before, read = read, len(ids)
    if rest := decode(tokenizer, ids[before:])[len(decode(tokenizer, ids[before:read])) :]:
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    tokens = decode_tokens(model, inputs, limit, params, stop_ids)
    return detokenize(tokenizer, tokens, inputs["input_ids"][0].tolist())
