"""Whether it fits is asked of the params' limit, also where another one was handed in.

Caught by: test_what_does_not_fit_is_refused_before_the_model_runs
Says: `check_fits` gets the limit that counts
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def detokenize(tokenizer, tokens):
    ids, sent, text = [], "", ""
    for token in tokens:
        ids.append(token)
        text = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        if len(text) > len(sent) and not text.endswith("\ufffd"):
            yield text[len(sent) :]
            sent = text
    if len(text) > len(sent):
        yield text[len(sent) :]


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], params.max_tokens)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
