"""Remembers what is passed, what failed, which hints were read and where a learner jumped in: `.kata/progress.json`.

A pass is bound to the sha256 of the step's file, and to what its checks were then; a failure to the step's file. The
file is replaced in one piece; where it cannot be read it is set aside under another name and the passes are found
again by checking. Fields that came later may be missing, so that an older file is read as it is.
"""

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kata.files import write_atomically, write_new
from kata.steps import ROOT, STEPS

VERSION = 1
STATE = ROOT / ".kata"
FILE = STATE / "progress.json"
_LOCK_HELD_S = 3.0  # far longer than a change takes


@dataclass(frozen=True)
class Pass:
    """One step's pass: what was checked, the stars it earned, and the fingerprint of the checks that it passed."""

    digest: str
    stars: int = 0
    checks: str = ""


@dataclass(frozen=True)
class Failed:
    """The check that stopped a step's file the last time."""

    digest: str
    check: str


@dataclass
class Progress:
    """Where a learner stands. `base`: the first step of their own, after a jump; `find_again`: passes were lost."""

    passed: dict[int, Pass] = field(default_factory=dict)
    hints: dict[int, int] = field(default_factory=dict)  # step to the number of the ladder's hints that were shown
    base: int = 1
    find_again: bool = False
    failed: dict[int, Failed] = field(default_factory=dict)
    check_hints: dict[int, list[str]] = field(default_factory=dict)  # step to the checks whose hints were shown


def load(file: Path = FILE) -> tuple[Progress, str]:
    """The progress and, where it could not be read, a line that says what became of the file."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return Progress(), ""
    except OSError as error:
        return Progress(), f"{_name(file)} cannot be read ({error.strerror}): nothing counts as passed for now"
    try:
        return _from_json(data), ""
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return _set_aside(file, data, error)


def update(change: Callable[[Progress], None], file: Path = FILE) -> str:
    """Read the progress anew, change it, save it. An empty text, or the line that says what went wrong."""
    with _one_at_a_time(file):
        return _update(change, file)


def _update(change: Callable[[Progress], None], file: Path) -> str:
    try:
        before = file.read_bytes()
    except FileNotFoundError:
        before = b""
    except OSError as error:  # writing would lose what it holds
        return f"progress is not saved: {_name(file)} cannot be read ({error.strerror or error})"
    progress, trouble = load(file)
    change(progress)
    after = _to_json(progress)
    try:
        if after != before:
            write_atomically(file, after)
    except OSError as error:
        return f"progress is not saved: {_name(file)} cannot be written ({error.strerror or error})"
    return trouble


@contextlib.contextmanager
def _one_at_a_time(file: Path) -> Iterator[None]:
    """Two terminals do not undo each other's change. A lock that its owner left behind is broken after a while."""
    lock, mine = file.with_name("progress.lock"), False
    with contextlib.suppress(OSError):  # where nothing can be written, the writing itself will say so
        file.parent.mkdir(parents=True, exist_ok=True)
        deadline = time.monotonic() + _LOCK_HELD_S
        while not mine:
            try:
                os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                mine = True
            except FileExistsError:
                if time.monotonic() > deadline:
                    lock.unlink(missing_ok=True)
                time.sleep(0.01)
    try:
        yield
    finally:
        if mine:
            lock.unlink(missing_ok=True)


def _set_aside(file: Path, data: bytes, error: Exception) -> tuple[Progress, str]:
    fresh = Progress(find_again=True)
    try:
        aside = write_new(file.with_name("progress-damaged.json"), data)
        write_atomically(file, _to_json(fresh))
    except OSError:
        return fresh, f"{_name(file)} is damaged ({error}) and cannot be set aside"
    told = f"{_name(file)} was damaged ({error}): it is kept as {_name(aside)}; the next check finds your passes again"
    return fresh, told


def _to_json(progress: Progress) -> bytes:
    return (json.dumps({"version": VERSION, **asdict(progress)}, indent=1) + "\n").encode()


def _from_json(data: bytes) -> Progress:
    """`ValueError` and its like where the data is no progress, or one of another version."""
    read = json.loads(data.decode("utf-8"))
    if not isinstance(read, dict) or read.get("version") != VERSION:
        raise ValueError("it is not of this version of the kata")
    progress = Progress(
        passed={int(n): _pass(told) for n, told in read["passed"].items()},
        hints={int(n): _checked(shown, int) for n, shown in read["hints"].items()},
        base=_checked(read["base"], int),
        find_again=_checked(read["find_again"], bool),
        failed={int(n): _failed(told) for n, told in read.get("failed", {}).items()},
        check_hints={int(n): _names(told) for n, told in read.get("check_hints", {}).items()},
    )
    numbers = {step.number for step in STEPS}
    if not {*progress.passed, *progress.hints, *progress.failed, *progress.check_hints, progress.base} <= numbers:
        raise ValueError("it names a step that there is not")
    return progress


def _pass(told: dict) -> Pass:
    return Pass(_checked(told["digest"], str), _checked(told["stars"], int), _checked(told.get("checks", ""), str))


def _failed(told: dict) -> Failed:
    return Failed(_checked(told["digest"], str), _checked(told["check"], str))


def _names(told: list) -> list[str]:
    return [_checked(name, str) for name in _checked(told, list)]


def _checked(value: object, kind: type) -> object:
    if type(value) is not kind:
        raise ValueError(f"{value!r} stands where {kind.__name__} should")
    return value


def _name(file: Path) -> str:
    with contextlib.suppress(ValueError):
        return file.relative_to(ROOT).as_posix()
    return str(file)
