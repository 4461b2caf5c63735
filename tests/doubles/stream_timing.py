"""What a stream promises of its time: nothing is made before it is asked for, and whole text waits for nothing."""

from threading import get_ident
from types import ModuleType

from kata.failure import CheckFailure, expect
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import HIDDEN, FastTokenizer
from tests.doubles.stream_record import Told
from tests.doubles.stream_texts import expect_text
from tests.doubles.streams import PROMPT, answering, called, read

LATE = "whole text waits for nothing, neither the next token nor a space, a line or the end: only U+FFFD at its end "
LATE += "says that a character is not whole. Yield it at once."


def runs_at_most_the_prefill(step: ModuleType) -> None:
    """At the call, of an answer whose first text takes five tokens."""
    tokenizer, reply = FastTokenizer(), [HIDDEN, *"🙂you".encode()]
    model = answering(tokenizer, reply)
    step.generate_stream(model, tokenizer, PROMPT, max_new_tokens=len(reply))
    why = "a stream that is made before it is read is no stream: the user waits for the whole answer, then gets it."
    if 1 < len(model.calls) <= 5:
        why = "the first text of this answer takes five tokens: `next` at the call does not ask for one token, but for "
        why += "as many as the first chunk needs."
    expect(
        len(model.calls) <= 1,
        call=f"{called(max_new_tokens=len(reply))}, and no chunk taken",
        got=f"{len(model.calls)} calls of the model",
        wanted="none, or the prefill alone",
        why=why,
        trace=trace(model.calls, 1),
    )


def sends_whole_text_at_once(told: Told) -> None:
    wrong = told.first_wrong(told.is_late)
    if wrong is None:
        return
    raise CheckFailure(
        call=told.call,
        got=told.shown(wrong),
        wanted=told.shown_wanted(wrong),
        why=_why_late(told, wrong),
        varies=_is_ahead(told, wrong),
    )


def _why_late(told: Told, at: int) -> str:
    prompt = told.tokenizer.prompt_ids(PROMPT)
    prefills = sum(call.ids == prompt and not call.cached for call in told.model.calls)
    if prefills > 1:
        return f"the prompt went through the model {prefills} times: one `decode_tokens` makes all tokens of a stream."
    if _is_ahead(told, at):
        return (
            "the model runs ahead of the reader: the tokens are collected first (`list`, `generate_cached`), or a "
            "thread makes them unasked. Take one token, send its text, and only then take the next."
        )
    if told.is_one_behind:
        return (
            "here the next token is taken before this one's text goes out. Yield first; which token is the last need "
            "not be known: what is left is sent behind the loop."
        )
    return LATE


def _is_ahead(told: Told, at: int) -> bool:
    """Whether tokens were taken before this chunk came whose text comes only now: the next brings no new id.

    How far another thread is ahead differs from chunk to chunk, so nothing is asked of its chunks.
    """
    if any(call.thread != get_ident() for call in told.model.calls):
        return True
    if told.sent[at + 1] > next((whole for whole in told.whole if whole > told.sent[at]), 0):
        return False  # the texts of several tokens were put together
    forwards = [chunk.forwards for chunk in told.chunks]
    return (
        at + 1 < len(forwards) and forwards[at] > at + 1 and forwards[at] == forwards[at + 1] and at + 2 < len(told.ids)
    )


def works_in_proportion(step: ModuleType, text: bytes) -> None:
    """The ids decoded for 480 tokens of the text, against those for 120."""
    work = {}
    for tokens in (120, 480):
        told = read(step, FastTokenizer(), text[:tokens])
        expect_text(told, "the text comes first, then the work.")
        work[tokens] = told.tokenizer.ids_decoded
    expect(
        work[480] <= 6 * work[120],
        call="list(generate_stream(...)) of 120 and of 480 tokens of prose",
        got=f"{work[120]} and {work[480]} ids decoded, {work[480] / max(work[120], 1):.0f} times as many",
        wanted="about 4 times as many for 4 times the tokens",
        why="decoding the whole answer at each token makes long answers slow: decode the ids not sent yet, with a few "
        "before them.",
    )
