"""The text before is the text of the round before, also where nothing was sent.

Caught by: test_an_emoji_of_several_tokens_comes_whole
Says: moves on only when text was sent
Unnamed: both lose a character of several tokens, and look alike from outside
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
    ids, previous_text = [], ""
    for token in tokens:
        ids.append(token)
        text = decode(tokenizer, ids)
        piece, previous_text = text[len(previous_text) :], text
        if piece and not piece.endswith(UNFINISHED):
            yield piece


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    tokens = decode_tokens(model, inputs, limit, params, stop_token_ids(model, tokenizer))
    return detokenize(tokenizer, tokens)
