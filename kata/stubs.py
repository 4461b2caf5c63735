"""Makes the learner's stubs from the reference, so that the two cannot drift apart.

In a reference file the lines between

    # BEGIN SOLUTION: what is to be written (about 6 lines)
    # END SOLUTION

become a TODO comment and a `raise NotImplementedError`; everything else stands in the stub word for word.
"""

import re
from pathlib import Path

from kata.steps import EXERCISES, REFERENCE, STEPS, Step

_BEGIN = re.compile(r"^(?P<indent> *)# BEGIN SOLUTION: (?P<task>.+)$")
_END = re.compile(r"^ *# END SOLUTION$")


class StubError(ValueError):
    """A reference file whose solution markers do not pair up."""


def make_stub(source: str, number: int) -> str:
    """The stub of a step, from the source of its reference."""
    lines: list[str] = []
    opened_at: int | None = None
    gaps = 0
    for at, line in enumerate(source.splitlines(), start=1):
        if begin := _BEGIN.match(line):
            if opened_at is not None:
                raise StubError(f"line {at}: BEGIN SOLUTION inside the region opened in line {opened_at}")
            opened_at, gaps = at, gaps + 1
            indent, task = begin["indent"], begin["task"]
            lines.append(f"{indent}# TODO {number}: {task}")
            lines.append(f'{indent}raise NotImplementedError("TODO {number}: {_first_clause(task)}")')
        elif _END.match(line):
            if opened_at is None:
                raise StubError(f"line {at}: END SOLUTION without a BEGIN SOLUTION")
            opened_at = None
        elif opened_at is None:
            lines.append(line)
    if opened_at is not None:
        raise StubError(f"line {opened_at}: BEGIN SOLUTION is never ended")
    if not gaps:
        raise StubError("there is no BEGIN SOLUTION: a stub without a gap teaches nothing")
    return "\n".join(lines) + "\n"


def _first_clause(task: str) -> str:
    """The task without its size and without what would end the string: `pick the next token (about 3 lines)`."""
    return re.sub(r" \(about [^)]*\)$", "", task).replace('"', "'")


def stub_of(step: Step) -> str:
    """The stub that the step's reference makes now."""
    return make_stub(step.file_in(REFERENCE).read_text(encoding="utf-8"), step.number)


def is_stub(file: Path, step: Step) -> bool:
    """Whether the file is the step's stub as it was handed out: its gaps are all open. Line ends do not matter."""
    try:
        return _text(file) == stub_of(step)
    except (OSError, ValueError):  # no reference to make a stub from; or the file is no UTF-8
        return False


def stale_stubs(folder: Path = EXERCISES) -> list[Step]:
    """The steps whose file in the folder differs from what the reference makes."""
    return [step for step in STEPS if _text(step.file_in(folder)) != stub_of(step)]


def write_stubs(folder: Path = EXERCISES) -> list[Path]:
    """Write every stub into the folder, over what is there; the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [step.file_in(folder) for step in STEPS]
    for step, file in zip(STEPS, files, strict=True):
        file.write_text(stub_of(step), encoding="utf-8")
    return files


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.exists() else None
