"""How several readings of one thing are told: a median, with the lowest and the highest beside it."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Several readings of one thing, in seconds unless it says otherwise."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, readings: Sequence[float]) -> "Spread":
        return cls(statistics.median(readings), min(readings), max(readings), len(readings))

    def __str__(self) -> str:
        return self.told("s")

    def told(self, unit: str, scale: float = 1) -> str:
        """As a line tells it: `1.23 s (1.1 to 1.5, 7 runs)`. scale: how many of the unit make one of the readings'."""
        median, low, high = (f"{scale * value:.3g}" for value in (self.median, self.low, self.high))
        return f"{median} {unit} ({low} to {high}, {self.count} runs)"
