"""One detokenizer in the module, emptied where a stream begins: the half character of another one is lost.

Caught by: test_two_streams_at_once_do_not_mix
Says: emptied for those that run
"""

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens


class Detokenizer:
    def reset(self, tokenizer):
        self.tokenizer, self.shown, self.pending = tokenizer, [], []

    def push(self, token):
        self.pending.append(token)
        piece = self.rest()
        if piece.endswith("\ufffd"):
            return ""
        if piece:
            self.shown, self.pending = self.pending, []
        return piece

    def rest(self):
        return self.decode(self.shown + self.pending).removeprefix(self.decode(self.shown))

    def decode(self, ids):
        return self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


detokenizer = Detokenizer()


def detokenize(tokenizer, tokens):
    detokenizer.reset(tokenizer)
    for token in tokens:
        if piece := detokenizer.push(token):
            yield piece
    if rest := detokenizer.rest():
        yield rest


def generate_stream(model, tokenizer, prompt, max_new_tokens=None, params=None):
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
