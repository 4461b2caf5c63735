"""A stream read to its end: what came out beside what should have, chunk by chunk, and in which way the two differ."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any
from unicodedata import normalize

from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.scripted_model import ScriptedModel

UNFINISHED = "\ufffd"
LEGEND = "   (chunk <- ids of the tokens taken for it)"
NEIGHBOURS = 3  # chunks shown before and after a wrong one


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

    @cached_property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks)

    @cached_property
    def wanted(self) -> str:
        return self.tokenizer.text(self.ids)

    @cached_property
    def texts(self) -> list[str]:
        """The text of the first id, of the first two, and so on; an empty one comes before them."""
        return [self.tokenizer.text(self.ids[:end]) for end in range(len(self.ids) + 1)]

    @cached_property
    def whole(self) -> list[int]:
        """How long the longest whole text is among the first of the texts, the first two, and so on."""
        return [*accumulate((0 if text.endswith(UNFINISHED) else len(text) for text in self.texts), max)]

    @cached_property
    def sent(self) -> list[int]:
        """The length of what was sent before the first chunk, before the second, and so on."""
        return [*accumulate((len(chunk.text) for chunk in self.chunks), initial=0)]

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

    def sent_before(self, at: int) -> str:
        return self.text[: self.sent[at]]

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
        taken = min(self.chunks[at].forwards, len(self.texts))
        return taken > 0 and self.whole[taken - 1] > self.sent[at]

    @property
    def is_one_behind(self) -> bool:
        """Whether each chunk came when one token more than it needed was there."""
        newest = [chunk.forwards for chunk in self.chunks[:-1]]
        return bool(newest) and all(
            end < len(self.texts) and sent == len(self.texts[end - 1]) < len(self.texts[end])
            for sent, end in zip(self.sent[1:], newest, strict=False)
        )

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
