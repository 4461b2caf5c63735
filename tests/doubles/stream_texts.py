"""What a stream promises of its text: joined, the chunks are the completion, and no chunk is sent for nothing.

Each function is handed a stream that was read, or a solution's step 6 where it reads by itself, and raises a
`CheckFailure` where the promise is broken.
"""

from itertools import groupby
from types import ModuleType

from kata.failure import CheckFailure, expect
from tests.doubles.backends import byte_level_backend, metaspace_backend, zero_eos_backend
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.stream_record import Told
from tests.doubles.streams import read

NO_TEXT_NO_END = "a token without text does not end the stream, be it special or an id that the tokenizer has not: it "
NO_TEXT_NO_END += "ends when no token comes any more."
NORMALIZED = "these look alike and are not the same: send the text as it is decoded, not normalised."
AS_IT_IS = "each token's text is sent once, and as it is: no strip, nothing left out, nothing added."
TWINS = "a piece like the one before it is left out here, and two tokens may have the same text: compare no pieces."
BYTES = "what was sent is counted in bytes here, and a text is cut by characters, of several bytes each: take `len` of "
BYTES += "the text itself."
NO_END = "nothing in the text ends an answer: it is over when no token comes any more."
ID_0 = "id 0 is a token too, here the byte 0: `if token:` and `while token:` take it for nothing. Compare with None."
RUNS_ON = "an EOS came, and the stream went on after it: hand the token loop all of `stop_token_ids`, none left out."


def expect_text(told: Told, why: str, varies: bool = False) -> None:
    """Joined, the chunks are the completion's text. varies: that hangs on the machine, as a real model's does."""
    if told.text == told.wanted:
        return
    wrong, show = told.first_wrong(told.strays), ascii if told.looks_right else short
    if wrong is not None and told.sends_again(wrong):
        why = "a token without text of its own brings nothing new, and yet what was sent is sent again. Where n is 0, "
        why += "`text[-n:]` is the whole text."
    elif told.looks_right:
        why = NORMALIZED
    elif told.ends_at_no_text:
        why = NO_TEXT_NO_END
    elif told.runs_on:
        why = "the answer is over, and the model was asked for more: `max_new_tokens` is the number of tokens, the "
        why += "first one included, and an EOS is the last."
    raise CheckFailure(
        call=told.call,
        got=told.shown(wrong),
        wanted=told.shown_wanted(wrong),
        why=why if varies else f"joined this is {show(told.text)}, not {show(told.wanted)}: {why}",
        varies=varies,
    )


def short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:40]!r} ... {text[-10:]!r}"


def comes_as_it_is(told: Told) -> None:
    expect_text(told, _as_it_is(told))


def _as_it_is(told: Told) -> str:
    pieces = [told.texts[end][len(told.texts[end - 1]) :] for end in range(1, len(told.texts))]
    unlike = "".join(piece for piece, _ in groupby(pieces))
    if told.text == unlike != told.wanted and all(chunk.text for chunk in told.chunks):
        return TWINS
    kept, reached = "", 0  # of the text, if each character counts as many as it has bytes in UTF-8
    for at, each in enumerate(told.wanted):
        if at >= reached:
            kept, reached = kept + each, reached + len(each.encode())
    return BYTES if told.text == kept else AS_IT_IS


def comes_to_its_end(told: Told) -> None:
    """As it is, whatever it says: no word in it is taken for the end."""
    expect_text(told, NO_END if told.ends_early else _as_it_is(told))


def takes_id_0_for_a_token(told: Told) -> None:
    expect_text(told, ID_0 if told.text in ("", told.wanted[1:]) else AS_IT_IS)


def repeats_nothing(told: Told) -> None:
    wrong = told.first_wrong(told.repeats)
    expect(
        wrong is None,
        call=told.call,
        got=told.shown(wrong),
        wanted=told.shown_wanted(wrong),
        why="the consumer writes one chunk after the other: send what is new, not the text so far.",
    )


def has_no_empty_chunk(told: Told) -> None:
    wrong = told.first_wrong(lambda at: not told.chunks[at].text)
    expect(
        wrong is None,
        call=told.call,
        got=told.shown(wrong),
        wanted=told.shown_wanted(wrong),
        why="an empty chunk says nothing, and some protocols take it for the end: yield only where there is text.",
    )


def has_no_chunk(told: Told) -> None:
    """Of an answer without text."""
    expect(
        not told.chunks,
        call=told.call,
        got=told.shown(),
        wanted="no chunk at all",
        why=RUNS_ON if told.runs_on else "the completion is empty, so there is nothing to send.",
    )


def begins_anew_each_time(step: ModuleType) -> None:
    """One text twice, of which the first token loses its space: what a stream leaves behind would keep it."""
    tokenizer = FastTokenizer(metaspace_backend())
    first, again = (read(step, tokenizer, tokenizer.ids("the cat")) for _ in range(2))
    if first.text == first.wanted:
        why = "the first stream was right, the second begins with what the first one left: a default argument "
        why += "(`ids=[]`) and a module's variable are made once, for all calls. Make it in the function."
        expect_text(again, why)


def asks_each_tokenizer(step: ModuleType) -> None:
    """The same ids twice, which are another text to the second tokenizer, though it is as large as the first."""
    first, other = (read(step, FastTokenizer(make()), b"Hello") for make in (byte_level_backend, zero_eos_backend))
    if first.text == first.wanted and other.text == first.text:
        why = (
            "this is what another tokenizer says of these ids: whatever is kept from one stream to the next, under ids "
        )
        why += "alone or a name, is told to all of them. Ask the tokenizer that was handed in."
        expect_text(other, why)


def takes_ids_of_any_kind(step: ModuleType) -> None:
    """A `detokenize` that takes a generator takes a list as well, as in the lesson."""
    tokenizer, ids = FastTokenizer(), list(b"Hi")
    try:
        wanted = list(step.detokenize(tokenizer, (id for id in ids)))
    except (AttributeError, TypeError):  # there is none, or it is another function
        return
    try:
        got = list(step.detokenize(tokenizer, ids))
    except (AttributeError, TypeError) as error:
        got = f"{type(error).__name__}: {error}"
    why = "its tokens are an Iterable[int], a list as well as a generator: go over them with `for`, or ask "
    why += "`iter(tokens)` before you ask `next`."
    if "close" in str(got):
        why = "its tokens are an Iterable[int], a list as well as a generator, and only a generator can be closed: ask "
        why += "whether there is a `close`, or leave it to Python, which closes what nobody holds any more."
    expect(
        got == wanted,
        call=f"list(detokenize(tokenizer, {ids}))",
        got=got,
        wanted=f"{wanted}, as for a generator",
        why=why,
    )
    try:
        got = list(step.detokenize(tokenizer, []))
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    why = "an iterable may be empty, and no round of the loop is run then: what the lines behind it ask for must have "
    why += "been set before it, and `next` needs a default."
    expect(got == [], call="list(detokenize(tokenizer, []))", got=got, wanted="[]", why=why)
