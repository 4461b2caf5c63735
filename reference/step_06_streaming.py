"""Step 6: stream the completion's text as its tokens come, each character once and whole."""

from collections.abc import Iterator

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens

UNFINISHED = "\ufffd"  # what bytes that do not make a character yet are decoded to


class Detokenizer:
    """Turns ids into new text, piece by piece. Knows nothing of models.

    Joined, the pieces are the text of all ids at once; each costs a decode of a few ids, not of the whole answer.
    """

    def __init__(self, tokenizer) -> None:
        self.tokenizer = tokenizer
        # BEGIN SOLUTION: what has to be remembered between two tokens (about 2 lines)
        self.context: list[int] = []  # the ids behind the last piece: some tokenizers join a token to the one before
        self.pending: list[int] = []  # the ids that no piece has shown yet
        # END SOLUTION

    def push(self, token: int) -> str:
        """The text that this token completes, `""` while a character is unfinished."""
        # BEGIN SOLUTION: new text, or nothing while it ends in an unfinished character (about 4 lines)
        self.pending.append(token)
        piece = self.flush()
        if not piece or piece.endswith(UNFINISHED):
            return ""
        self.context, self.pending = self.pending, []
        return piece
        # END SOLUTION

    def flush(self) -> str:
        """The text still held back, for the end: an unfinished character shows as U+FFFD."""
        # BEGIN SOLUTION: what has not been sent (about 2 lines)
        sent, text = self._decode(self.context), self._decode(self.context + self.pending)
        return text[len(sent) :]
        # END SOLUTION

    def _decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def generate_stream(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Iterator[str]:
    """Yield the text of `generate_cached` in pieces, none of them empty, each as soon as it is whole.

    Lazy: a piece costs the forwards of its own tokens. Errors of the model and `RequestRefused` reach the consumer.
    """
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    detokenizer = Detokenizer(tokenizer)
    # BEGIN SOLUTION: push each id of `decode_tokens`, yield what is new, then what is left (about 5 lines)
    for token in decode_tokens(model, inputs, limit, params, stop_ids):
        if piece := detokenizer.push(token):
            yield piece
    if rest := detokenizer.flush():
        yield rest
    # END SOLUTION
