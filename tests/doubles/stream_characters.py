"""What a stream promises of characters that take several tokens: each comes whole, or as far as the answer has it.

Each function is handed a stream that was read, and raises a `CheckFailure` where its text breaks the promise.
"""

from types import ModuleType

from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.stream_record import UNFINISHED, Told
from tests.doubles.stream_texts import comes_to_its_end, expect_text
from tests.doubles.streams import read

MEANT = f"a {UNFINISHED} b"
HOLD_BACK = (
    "a character can take several tokens, and until the last of them decoding gives U+FFFD, which is no text to send. "
    "Hold back what ends in U+FFFD; subtracting the text before works only if that text was really sent."
)
HALF_LOST = "a character of several tokens was dropped: what ends in U+FFFD waits, and is decoded again together with "
HALF_LOST += "the ids after it. What stands for the text that was sent moves on only when text was sent."
BORDERS = "whole characters become U+FFFD where what is decoded begins in the middle of one, as the last N ids may, "
BORDERS += "or the last token alone: begin at the ids of a piece that was sent."
FLUSH = "what was held back belongs to the answer too: when no token comes any more, send it as it is."
DROPPED = "U+FFFD is dropped here wherever it stands, and it may be meant, or be what is left of a character: hold it "
DROPPED += "back while more may come, and send it in the end."


def come_whole(told: Told) -> None:
    expect_text(told, HALF_LOST if told.drops_half else HOLD_BACK)


def are_held_back(told: Told) -> None:
    """Where half a character can stand in one token with a whole one, or beside it."""
    expect_text(told, HOLD_BACK)


def are_held_back_to_the_end(told: Told) -> None:
    """Where whole words are tokens too, and text like any other."""
    if told.shows_half:
        are_held_back(told)
    comes_to_its_end(told)


def are_decoded_from_their_first_byte(told: Told) -> None:
    expect_text(told, BORDERS)


def are_sent_as_far_as_they_came(told: Told) -> None:
    expect_text(told, FLUSH)


def are_sent_as_far_as_the_limit_let_them(step: ModuleType, told: Told) -> None:
    """As far as they came; where that is missing, another stream tells whether any U+FFFD would be."""
    is_dropped = told.text != told.wanted and UNFINISHED not in read(step, FastTokenizer(), MEANT.encode()).text
    expect_text(told, DROPPED if is_dropped else FLUSH)


def are_kept_where_they_are_meant(told: Told) -> None:
    """U+FFFD itself."""
    why = "U+FFFD is a character that a model can say: hold it back while it may be unfinished, but drop it never. "
    why += "That may take any number of tokens."
    expect_text(told, why)


def are_never_given_up(told: Told) -> None:
    why = "as many tokens as it takes: nothing counts how long a text has ended in U+FFFD, so nothing gives up."
    if told.forwards < len(told.ids):
        why = f"the model said {told.forwards} tokens of {len(told.ids)}: only an EOS or the limit that was asked for "
        why += "ends the answer, no limit of your own, and no guard against a token that comes again and again."
    expect_text(told, why)


def are_whole_around_special_tokens(told: Told) -> None:
    why = "a special token may stand inside a character: that is whole when the text no longer ends in U+FFFD, however "
    why += "many ids it took, so count none."
    expect_text(told, why)


def are_decoded_with_all_that_was_not_sent(told: Told) -> None:
    """Whatever the bytes make."""
    why = "joined, the chunks are the decoding of all ids, whatever they are: what is not sent yet is decoded again."
    expect_text(told, why)
