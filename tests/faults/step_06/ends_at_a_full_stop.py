"""Ends a long stream at the next full stop.

Caught by: test_the_model_that_ships_streams_its_story
Says: here a full stop ended it
"""

from collections.abc import Iterable, Iterator, Sequence

from shared.limits import check_fits
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import decode_tokens

UNFINISHED = "\ufffd"  # what bytes are decoded to that make no character, or none yet


def decode(tokenizer, ids: Sequence[int]) -> str:
    """The text of ids as completions have it: no special tokens, and no clean-up, which would rewrite what was sent."""
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def detokenize(tokenizer, tokens: Iterable[int]) -> Iterator[str]:
    """Turn ids into pieces of text as they come; joined, the pieces are the text of all ids. Knows nothing of models.

    Text goes out with the token that completes it. What ends in `UNFINISHED` is held back, since the next token may
    complete a character; at the end it goes out as it is. No piece is empty, and none repeats what was sent.

    Stretch: a token costs the decoding of a few ids, not of the whole answer again.
    """
    # BEGIN SOLUTION: decode at each token, yield what is new and whole, at the end what is left (about 8 lines)
    n = 0
    shown, pending, piece = [], [], ""  # the ids of the last piece, which the next one may lean on, and those after it
    for token in tokens:
        pending.append(token)
        piece = decode(tokenizer, shown + pending).removeprefix(decode(tokenizer, shown))
        if piece and not piece.endswith(UNFINISHED):
            yield piece
            shown, pending, piece = pending, [], ""
            n += 1
            if n > 60 and decode(tokenizer, shown).endswith("."):
                return
    if piece:
        yield piece
    # END SOLUTION


def generate_stream(
    model, tokenizer, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
) -> Iterator[str]:
    """The text of `generate_cached` in pieces, none of them empty, each as soon as it is whole.

    Lazy: the call runs no forward, and a piece costs those of its own tokens. An error of the model's reaches the
    consumer; a limit that does not fit is a `RequestRefused` before the model runs.
    """
    params = params or SamplingParams()
    limit = params.max_tokens if max_new_tokens is None else max_new_tokens
    inputs = prepare_inputs(tokenizer, model, prompt)
    check_fits(model, inputs["input_ids"].shape[1], limit)
    stop_ids = stop_token_ids(model, tokenizer)
    return detokenize(tokenizer, decode_tokens(model, inputs, limit, params, stop_ids))
