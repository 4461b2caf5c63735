"""How a time is taken, in this process or in a fresh one, and how two of them are compared."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from kata.spread import Spread

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
PROCESS_LIMIT_S = 300


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
