"""One generator makes texts, another cuts them into pieces; neither is `generate_stream`."""

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

    def texts():
        ids = []
        for token in decode_tokens(model, inputs, limit, params, stop_ids):
            ids.append(token)
            yield decode(tokenizer, ids), False
        yield decode(tokenizer, ids), True

    def pieces(sent=""):
        for text, last in texts():
            if (last or text[-1:] != "\N{REPLACEMENT CHARACTER}") and text[len(sent) :]:
                yield text[len(sent) :]
                sent = text

    return pieces()
