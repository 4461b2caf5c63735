"""What a scripted model writes down of each forward, and how a check tells it to a learner."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    use_cache: bool | None
    logits_kept: int  # rows of logits returned
    arguments: frozenset[str]  # names of all arguments that were not None
    cache_returned: object | None = None

    def __str__(self) -> str:
        cache = f", cache of {self.cached}" if self.cache_given is not None else ""
        return f"{len(self.ids)} token{'s' if len(self.ids) != 1 else ''}{cache}, {self._mask()}{self._positions()}"

    def _mask(self) -> str:
        if self.mask is None:
            return "no mask"
        zeros = len(self.mask) - sum(self.mask)
        return f"mask of {len(self.mask)}" + (f" ({zeros} hidden)" if zeros else "")

    def _positions(self) -> str:
        """Said only where they are not what the model would have counted by itself."""
        if self.positions is None or self.positions == list(range(self.cached, self.cached + len(self.ids))):
            return ""
        return f", positions {self.positions[0]} to {self.positions[-1]}"


def trace(calls: Sequence[Call], wrong: int | None = None) -> list[str]:
    """The calls, one short line each, up to the first wrong one: `call 3: 9 tokens, mask of 8 <- here`."""
    shown = list(enumerate(calls if wrong is None else calls[: wrong + 1], start=1))
    is_long = len(shown) > LONGEST_TRACE
    first, last = (shown[:3], shown[3 - LONGEST_TRACE + 1 :]) if is_long else (shown, [])
    lines = [f"call {number}: {call}" for number, call in first] + ["..."] * is_long
    lines += [f"call {number}: {call}" for number, call in last]
    if wrong is not None and wrong < len(calls):
        lines[-1] += " <- here"
    return lines
