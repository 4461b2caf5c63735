"""Each id is looked up in the tokenizer's vocabulary, where not every id of the model stands.

Caught by: test_ids_beyond_the_tokenizer_have_no_text
Says: wider than the tokenizer's
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens):
    names, ids, sent = tokenizer.convert_ids_to_tokens(range(len(tokenizer))), [], ""
    for token in tokens:
        if names[token] in tokenizer.all_special_tokens:
            continue
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
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
