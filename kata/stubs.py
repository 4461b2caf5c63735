"""Makes the learner's stubs from the reference, so that the two cannot drift apart.

In a reference file the lines between

    # BEGIN SOLUTION: what is to be written (about 6 lines)
    # END SOLUTION

become a TODO comment and a `raise NotImplementedError`; everything else stands in the stub word for word.
"""

import ast
import re
from pathlib import Path

from kata.source import gaps_in
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
    except (OSError, ValueError):  # no reference to make a stub from
        return False


def stale_stubs(folder: Path = EXERCISES) -> list[Step]:
    """The steps whose file in the folder differs from what the reference makes."""
    return [step for step in STEPS if _text(step.file_in(folder)) != stub_of(step)]


def is_worked_on(file: Path, step: Step) -> bool:
    """Whether somebody has filled gaps: fewer are open than in the stub. What Python cannot read was worked on too."""
    text = _text(file)
    if text is None:
        return False
    try:
        return len(gaps_in(ast.parse(text), step.number)) < len(gaps_in(ast.parse(stub_of(step)), step.number))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True


def _text(file: Path) -> str | None:
    """The file's text; None where there is no file. What is no UTF-8 is replaced, so it equals no stub."""
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else None
