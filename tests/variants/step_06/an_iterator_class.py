"""An object with `__next__` and `close`, no generator."""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


def decode(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


class Stream:
    def __init__(self, tokenizer, tokens):
        self.tokenizer, self.tokens = tokenizer, tokens
        self.ids, self.sent = [], ""

    def __iter__(self):
        return self

    def __next__(self):
        for token in self.tokens:
            self.ids.append(token)
            text = decode(self.tokenizer, self.ids)
            if len(text) > len(self.sent) and not text.endswith("\ufffd"):
                return self.send(text)
        text = decode(self.tokenizer, self.ids)
        if len(text) > len(self.sent):
            return self.send(text)
        raise StopIteration

    def send(self, text):
        piece, self.sent = text[len(self.sent) :], text
        return piece

    def close(self):
        self.tokens.close()


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return Stream(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
