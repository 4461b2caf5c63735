"""How a time is taken and how several are told: a median, with the fastest and the slowest beside it."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
PROCESS_LIMIT_S = 300


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


def ratios(over: Sequence[float], under: Sequence[float]) -> Spread:
    """Round by round, one reading by the other: a machine that is slow for a minute is slow for both."""
    return Spread.of([one / other for one, other in zip(over, under, strict=True)])


def rotated(names: Sequence[T], by: int) -> list[T]:
    """The same in another order, so that none is always first in its round."""
    by %= len(names)
    return [*names[by:], *names[:by]]


class Unexpected(RuntimeError):
    """What was measured did something else than it should, so its time means nothing."""


def clean_environment() -> dict[str, str]:
    """This process's environment, with bytecode kept between runs as it is for a learner, and without colour."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"NO_COLOR": "1", "KATA_PYTHON": sys.executable}  # the runner stays with this Python


def python_seconds(*arguments: str, exit_code: int = 0, folder: Path = ROOT) -> float:
    """Wall time of a fresh `python ARGUMENTS` in a folder. Raises `Unexpected` on any other exit code."""
    started = time.perf_counter()
    _run_python(arguments, exit_code, folder)
    return time.perf_counter() - started


def python_says(*arguments: str) -> str:
    """What a fresh `python ARGUMENTS` prints. Raises `Unexpected` where it fails."""
    return _run_python(arguments, 0, ROOT).stdout


def _run_python(arguments: Sequence[str], exit_code: int, folder: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=clean_environment(), capture_output=True, text=True, timeout=PROCESS_LIMIT_S
    )
    if done.returncode != exit_code:
        said = " ".join((done.stdout + done.stderr).split())[-200:]
        raise Unexpected(f"{' '.join(arguments)}: exit code {done.returncode}, not {exit_code}; it said: {said}")
    return done
