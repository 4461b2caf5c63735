"""How a time is taken and how several are told: a median, with the fastest and the slowest beside it."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROCESS_LIMIT_S = 300


@dataclass(frozen=True)
class Spread:
    """Several readings of one thing, in seconds."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, readings: Sequence[float]) -> "Spread":
        return cls(statistics.median(readings), min(readings), max(readings), len(readings))

    def __str__(self) -> str:
        return f"{self.median:.3g} s ({self.low:.3g} to {self.high:.3g}, {self.count} runs)"


class Unexpected(RuntimeError):
    """What was measured did something else than it should, so its time means nothing."""


def clean_environment() -> dict[str, str]:
    """This process's environment, with bytecode kept between runs as it is for a learner, and without colour."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"NO_COLOR": "1", "KATA_PYTHON": sys.executable}  # the runner stays with this Python


def python_seconds(*arguments: str, exit_code: int = 0, folder: Path = ROOT) -> float:
    """Wall time of a fresh `python ARGUMENTS` in a folder. Raises `Unexpected` on any other exit code."""
    command = [sys.executable, *arguments]
    started = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=clean_environment(), capture_output=True, text=True, timeout=PROCESS_LIMIT_S
    )
    seconds = time.perf_counter() - started
    if done.returncode != exit_code:
        said = " ".join((done.stdout + done.stderr).split())[-200:]
        raise Unexpected(f"{' '.join(arguments)}: exit code {done.returncode}, not {exit_code}; it said: {said}")
    return seconds
