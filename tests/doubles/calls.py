"""What a scripted model writes down of each forward, and how a check tells it to a learner."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import get_ident

LONGEST_TRACE = 8  # lines


@dataclass
class Call:
    """One forward, copied as it was made: tensors that change later do not change the record."""

    ids: list[int]
    mask: list[int] | None
    positions: list[int] | None
    cached: int  # tokens in the cache that was handed in
    cache_given: object | None
    seen: tuple[int, ...]  # the whole sequence behind the answer
    grad: bool  # whether a graph was being recorded
    training: bool
    autocast: bool
    use_cache: bool | None
    logits_kept: int  # rows of logits returned
    arguments: frozenset[str]  # names of all arguments that were not None
    cache_returned: object | None = None
    thread: int = field(default_factory=get_ident)  # in which the forward was made

    def __str__(self) -> str:
        cache = f", cache {self.cached}" if self.cache_given is not None else ""
        return f"{len(self.ids)} token{'s' if len(self.ids) != 1 else ''}{cache}, {self._mask()}{self._positions()}"

    def _mask(self) -> str:
        if self.mask is None:
            return "no mask"
        zeros = self.mask.count(0)
        return f"mask {len(self.mask)}" + (f" ({zeros} hidden)" if zeros else "")

    def _positions(self) -> str:
        """Said only where they are not what the model would have counted by itself."""
        if self.positions is None or self.positions == list(range(self.cached, self.cached + len(self.ids))):
            return ""
        first, last = self.positions[0], self.positions[-1]
        return f", position {first}" if len(self.positions) == 1 else f", positions {first} to {last}"


def trace(calls: Sequence[Call], wrong: int | None = None, tell: Callable[[Call], str] = str) -> Iterator[str]:
    """The calls, one short line each, up to the first wrong one: `call 3: 9 tokens, mask 8 <- here`.

    wrong: its place; the one after the last says that no such call came. tell: what is said of a call. Nothing is put
    into words before a failure asks for it.
    """
    told = [(number, call) for number, call in enumerate(calls if wrong is None else calls[: wrong + 1], start=1)]
    last = [] if wrong is None or wrong < len(calls) else [f"call {len(calls) + 1}: none"]
    room = LONGEST_TRACE - len(last)
    is_long = len(told) > room
    begin, end = (told[:3], told[4 - room :]) if is_long else (told, [])
    lines = [f"call {number}: {tell(call)}" for number, call in begin] + ["..."] * is_long
    lines += [*(f"call {number}: {tell(call)}" for number, call in end), *last]
    yield from lines[:-1]
    yield from [line + " <- here" * (wrong is not None) for line in lines[-1:]]
