"""Reads a stream with an eye on the forwards behind each chunk, and says what is wrong with it, ids and all."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from threading import get_ident
from types import ModuleType
from typing import Any
from unicodedata import normalize

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.scripted_model import ScriptedModel

LEFT_OUT = object()
UNFINISHED = "\ufffd"
PROMPT = " Hi\n"  # word for word: nothing of it is stripped
LEGEND = "   (chunk <- ids of the tokens taken for it)"
NEIGHBOURS = 3  # chunks shown before and after a wrong one
LATE = "whole text waits for nothing, neither the next token nor a space, a line or the end: only U+FFFD at its end "
LATE += "says that a character is not whole. Yield it at once."
HALF_LOST = "a character of several tokens was dropped: what ends in U+FFFD waits, and is decoded again together with "
HALF_LOST += "the ids after it. What stands for the text that was sent moves on only when text was sent."
NO_TEXT_NO_END = "a token without text does not end the stream, be it special or an id that the tokenizer has not: it "
NO_TEXT_NO_END += "ends when no token comes any more."
NORMALIZED = "these look alike and are not the same: send the text as it is decoded, not normalised."


@dataclass(frozen=True)
class Chunk:
    """What came out of the stream, and how many forwards the model had made by then."""

    text: Any
    forwards: int


@dataclass
class Told:
    """A stream read to its end, beside the ids that the model said and the text that they are."""

    call: str
    tokenizer: FastTokenizer
    model: ScriptedModel
    ids: list[int]
    chunks: list[Chunk]

    @property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks)

    @cached_property
    def texts(self) -> list[str]:
        """The text of the first id, of the first two, and so on; an empty one comes before them."""
        return [self.tokenizer.text(self.ids[:end]) for end in range(len(self.ids) + 1)]

    @property
    def forwards(self) -> int:
        """Of a scripted model; a real one does not count them."""
        return len(getattr(self.model, "calls", ()))

    @property
    def runs_on(self) -> bool:
        """Whether the answer came, and after it what the model said beyond its end."""
        return self.text.startswith(self.wanted) and self.text != self.wanted and self.forwards > len(self.ids)

    @property
    def ends_early(self) -> bool:
        """Whether all that came is right, and the rest is missing."""
        return self.text != self.wanted and self.wanted.startswith(self.text) and self.forwards < len(self.ids)

    @property
    def shows_half(self) -> bool:
        """Whether half a character was sent of an answer that has none."""
        return UNFINISHED in self.text and UNFINISHED not in self.wanted

    @property
    def drops_half(self) -> bool:
        """Whether characters of several tokens are missing, and nothing else is wrong."""
        split = {now[-1:] for before, now in pairwise(self.texts) if before.endswith(UNFINISHED)} - {UNFINISHED, ""}
        text, wanted = ("".join(each for each in told if each not in split) for told in (self.text, self.wanted))
        return text == wanted and len(self.text) < len(self.wanted)

    @property
    def ends_at_no_text(self) -> bool:
        """Whether the stream ended too early, at a token that brought no text."""
        if not self.ends_early or not self.forwards:
            return False
        before, after = self.texts[self.forwards - 1 :][:2]
        return before == after

    @property
    def looks_right(self) -> bool:
        """Whether the text differs only in how its letters are put together."""
        return self.text != self.wanted and normalize("NFC", self.text) == normalize("NFC", self.wanted)

    @property
    def write(self) -> Callable[[str], str]:
        return ascii if self.looks_right else repr

    @property
    def wanted(self) -> str:
        return self.texts[-1]

    def sent_before(self, at: int) -> str:
        return "".join(chunk.text for chunk in self.chunks[:at])

    def first_wrong(self, is_wrong: Callable[[int], bool]) -> int | None:
        """The place of the first chunk that is wrong, or None."""
        return next((at for at in range(len(self.chunks)) if is_wrong(at)), None)

    def strays(self, at: int) -> bool:
        """Whether this chunk is not what comes next in the text."""
        return not self.wanted.startswith(self.sent_before(at + 1))

    def repeats(self, at: int) -> bool:
        """Whether this chunk begins with all that was sent before, which was right, and other text comes next."""
        sent = self.sent_before(at)
        return sent != "" and self.wanted.startswith(sent) and self.chunks[at].text.startswith(sent) and self.strays(at)

    def sends_again(self, at: int) -> bool:
        """Whether no text has come since the chunk before, and this one ends like what was sent."""
        start, end = (self.chunks[place].forwards if place >= 0 else 0 for place in (at - 1, at))
        is_old = self.chunks[at].text != "" and self.sent_before(at).endswith(self.chunks[at].text)
        return is_old and start < end < len(self.texts) and self.texts[start] == self.texts[end]

    def is_late(self, at: int) -> bool:
        """Whether the model ran again before this chunk came, although there was whole text to send.

        Judged only where the text is right: late is late, lost is lost.
        """
        if self.strays(at):
            return False
        settled, sent = self.texts[: self.chunks[at].forwards], len(self.sent_before(at))
        return any(len(text) > sent for text in settled if not text.endswith(UNFINISHED))

    @property
    def in_a_thread(self) -> bool:
        """Whether the tokens were made in another thread than the one that reads."""
        return any(call.thread != get_ident() for call in self.model.calls)

    def is_ahead(self, at: int) -> bool:
        """Whether tokens were taken before this chunk came whose text comes only now: the next brings no new id.

        How far a thread is ahead differs from chunk to chunk, so nothing is asked of its chunks.
        """
        if self.in_a_thread:
            return True
        forwards = [chunk.forwards for chunk in self.chunks]
        return (
            at + 1 < len(forwards)
            and forwards[at] > at + 1
            and forwards[at] == forwards[at + 1]
            and at + 2 < len(self.ids)
        )

    def why_late(self, at: int) -> str:
        prompt = self.tokenizer.prompt_ids(PROMPT)
        prefills = sum(call.ids == prompt and not call.cached for call in self.model.calls)
        if prefills > 1:
            return (
                f"the prompt went through the model {prefills} times: one `decode_tokens` makes all tokens of a stream."
            )
        if self.is_ahead(at):
            return (
                "the model runs ahead of the reader: the tokens are collected first (`list`, `generate_cached`), or a "
                "thread makes them unasked. Take one token, send its text, and only then take the next."
            )
        return LATE

    def shown(self, wrong: int | None = None) -> str:
        """The chunks, each with the ids that the model said for it: `'He' <- 72 101 | 'y' <- 121`."""
        ends = [chunk.forwards for chunk in self.chunks]
        pieces = [
            (chunk.text, self.ids[start:end]) for chunk, start, end in zip(self.chunks, [0, *ends], ends, strict=False)
        ]
        return _row(pieces, len(pieces) - 1 if wrong is None else wrong, self.write) + LEGEND * bool(pieces)

    def shown_wanted(self, wrong: int | None = None) -> str:
        """The chunks of a right stream, around the same ids."""
        pieces, start, sent = [], 0, ""
        for end in range(1, len(self.ids) + 1):
            text = self.texts[end]
            if len(text) > len(sent) and (not text.endswith(UNFINISHED) or end == len(self.ids)):
                pieces.append((text[len(sent) :], self.ids[start:end]))
                start, sent = end, text
        reached = len(self.sent_before(wrong)) if wrong is not None else len(self.text)
        ends = accumulate(len(text) for text, _ in pieces)
        return _row(pieces, next((at for at, end in enumerate(ends) if end > reached), len(pieces) - 1), self.write)


def _row(pieces: Sequence[tuple[str, Sequence[int]]], around: int, write: Callable[[str], str]) -> str:
    if not pieces:
        return "no chunk at all"
    first, last = max(around - NEIGHBOURS, 0), around + NEIGHBOURS + 1
    told = [f"{write(text)} <- {_short_ids(ids) or 'no new id'}" for text, ids in pieces[first:last]]
    return " | ".join(["..."] * (first > 0) + told + ["..."] * (last < len(pieces)))


def _short_ids(ids: Sequence[int]) -> str:
    told = [*map(str, ids)]
    return " ".join(told if len(told) <= 40 else [*told[:4], "...", *told[-3:]])


def called(**options: Any) -> str:
    """The call as a learner would write it: of params only what is not the default."""
    told = "".join(f", {name}={_short_params(value)}" for name, value in options.items())
    return f"generate_stream(model, tokenizer, {PROMPT!r}{told})"


def _short_params(value: Any) -> str:
    if not isinstance(value, SamplingParams):
        return repr(value)
    default = asdict(SamplingParams())
    changed = {name: field for name, field in asdict(value).items() if field != default[name]}
    return f"SamplingParams({', '.join(f'{name}={field!r}' for name, field in changed.items())})"


def answering(tokenizer: FastTokenizer, ids: Sequence[int], **options: Any) -> ScriptedModel:
    """A model that answers `PROMPT` with these ids, and whatever else it sees with question marks.

    Its vocabulary is wider than the tokenizer's.
    """
    prompt, reply, lost = tuple(tokenizer.prompt_ids(PROMPT)), tuple(ids), tokenizer.ids("?")[-1]

    def script(seen: tuple[int, ...]) -> int:
        said = seen[len(prompt) :]
        on_track = seen[: len(prompt)] == prompt and said == reply[: len(said)] and len(said) < len(reply)
        return reply[len(said)] if on_track else lost

    return ScriptedModel(script, vocab_size=len(tokenizer) + 40, **options)


def read(step: ModuleType, tokenizer: FastTokenizer, ids: Iterable[int], model: Any = None, **options: Any) -> Told:
    """Reads the stream of an answer of these ids to its end. The limit is their number unless told otherwise.

    What is `LEFT_OUT` is not handed over at all.
    """
    ids = list(ids)
    model = model or answering(tokenizer, ids)
    options = {"max_new_tokens": len(ids)} | options
    options = {name: value for name, value in options.items() if value is not LEFT_OUT}
    call = f"list({called(**options)})"
    chunks: list[Chunk] = []
    for text in _stream(step, model, tokenizer, call, options):
        expect(
            isinstance(text, str),
            call=call,
            got=f"a chunk of type {type(text).__name__}: {text!r}",
            wanted="chunks of text",
            why="the stream is text: decode the ids, and yield each piece as a str.",
        )
        chunks.append(Chunk(str(text), len(model.calls)))
        expect(
            len(chunks) <= 4 * len(ids) + 64,
            call=call,
            got=f"{len(chunks)} chunks, and no end",
            wanted="the end, after the last token's text",
            why="the stream ends where the answer ends.",
            trace=trace(model.calls),
        )
    if getattr(model, "own_loop", False):
        raise CheckFailure(
            call=call,
            got="model.generate(..., streamer=...), the library's own loop",
            wanted="tokens from step 4's `decode_tokens`",
            why="this step turns the tokens of your own loop into text: take them from `decode_tokens`, one by one; "
            "neither `generate` nor its streamer is needed, nor a thread.",
        )
    return Told(call, tokenizer, model, ids, chunks)


def _stream(
    step: ModuleType, model: Any, tokenizer: FastTokenizer, call: str, options: dict[str, Any]
) -> Iterator[Any]:
    try:
        yield from step.generate_stream(model, tokenizer, PROMPT, **options)
    except TypeError as error:
        why = "the tokens come one by one from a generator, which has neither a length nor places: go over it with "
        why += "`for`, and `detokenize` takes any iterable."
        eos = getattr(model, "generation_config", None) and model.generation_config.eos_token_id
        if isinstance(eos, int) and "'int' object is not iterable" in str(error):
            why = f"the EOS of this model's config is {eos}, without a list around it: an int, a list and None are all "
            why += "in use, and `stop_token_ids` reads each of them."
        elif "'generator'" not in str(error):
            raise
        raise CheckFailure(call=call, got=f"TypeError: {error}", wanted="chunks of text", why=why) from error


def expect_text(told: Told, why: str, varies: bool = False) -> None:
    """Joined, the chunks are the completion's text. varies: that hangs on the machine, as a real model's does."""
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
    expect(
        told.text == told.wanted,
        call=told.call,
        got=told.shown(wrong),
        wanted=told.shown_wanted(wrong),
        why=why if varies else f"joined this is {show(told.text)}, not {show(told.wanted)}: {why}",
        varies=varies,
    )


def short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:40]!r} ... {text[-10:]!r}"
