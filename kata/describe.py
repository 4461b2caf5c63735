"""Turns what a check raised into plain data for the report: kind, message, parts, and frames of the solution only.

This runs beside a solution that may be hostile or broken: its `__str__` may raise, its messages may be megabytes.
"""

import linecache
import re
import traceback
import unittest
from collections.abc import Collection, Iterator
from types import ModuleType

from _pytest.outcomes import Exit, Skipped, XFailed

from kata import solution
from kata.failure import CheckFailure

LONGEST = 3000  # characters of any one part
_SOLUTION_PACKAGE = re.compile(r"\bkata_solution_\d+\.?")


class LeavingRefused(RuntimeError):
    """`os._exit` called where a solution runs: it would end the checks with whatever status it likes."""


def describe(error: BaseException, files: Collection[str]) -> dict[str, object]:
    """The failure as JSON-safe data; `files` are the solution's own, the only ones whose frames are kept."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]  # a task group wraps even a lone error
    told: dict[str, object] = {
        "kind": _kind(error),
        "type": type(error).__name__,
        "message": _text(error),
        "frames": _frames(error, files),
        "loading": _raised_by_loading(error),
    }
    if isinstance(error, CheckFailure):
        told |= {part: cut(getattr(error, part)) for part in ("call", "got", "wanted", "why")}
        told |= {"trace": [cut(line, 300) for line in error.trace[:50]], "varies": error.varies}
    if isinstance(error, AttributeError) and _is_step(error.obj):
        told |= {"kind": "undefined", "name": str(error.name), "file": str(error.obj.__file__)}
    return told


def cut(value: object, longest: int = LONGEST) -> str:
    """The value's text, with the middle left out where it is long, and what is left out counted."""
    text = _SOLUTION_PACKAGE.sub("", str(value))
    if len(text) <= longest:
        return text
    head, tail = longest * 2 // 3, longest // 3
    return f"{text[:head]} … {len(text) - head - tail:,} more characters … {text[-tail:]}"


def _is_step(value: object) -> bool:
    return isinstance(value, ModuleType) and _SOLUTION_PACKAGE.match(value.__name__) is not None


def _kind(error: BaseException) -> str:
    """check, skip, exit, interrupt, todo or error."""
    kinds = {
        CheckFailure: "check",
        (Skipped, XFailed, unittest.SkipTest): "skip",
        (Exit, SystemExit, LeavingRefused): "exit",
        KeyboardInterrupt: "interrupt",
    }
    for types, kind in kinds.items():
        if isinstance(error, types):
            return kind
    return "todo" if isinstance(error, NotImplementedError) and _text(error).startswith("TODO ") else "error"


def _text(error: BaseException) -> str:
    try:
        return cut(error)
    except Exception as worse:
        return f"(its text cannot be had: {type(worse).__name__})"


def _frames(error: BaseException, files: Collection[str]) -> list[dict[str, object]]:
    """The solution's frames, outermost first: those of the error itself, else of what led to it."""
    for related in _with_causes(error):
        if isinstance(related, SyntaxError) and related.filename in files:
            return [_frame(related.filename, related.lineno or 1, "", (related.text or "").strip())]
        own = [
            (frame.f_code.co_filename, line, frame.f_code.co_name)
            for frame, line in traceback.walk_tb(related.__traceback__)
            if frame.f_code.co_filename in files
        ]
        if own:
            kept = own if len(own) <= 5 else [*own[:2], *own[-3:]]
            return [_frame(file, line, name, linecache.getline(file, line).strip()) for file, line, name in kept]
    return []


def _frame(file: str, line: int, function: str, text: str) -> dict[str, object]:
    return {"file": file, "line": line, "function": function, "text": cut(text, 200)}


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """The error, those inside a group, and those that it was raised from; each once."""
    waiting, seen = [error], set()
    while waiting:
        related = waiting.pop(0)
        if id(related) in seen:
            continue
        seen.add(id(related))
        yield related
        inside = related.exceptions if isinstance(related, BaseExceptionGroup) else ()
        waiting += [other for other in (*inside, related.__cause__, related.__context__) if other is not None]


def _raised_by_loading(error: BaseException) -> bool:
    """Whether the solution's file was being imported: nothing in it could be called yet."""
    return any(frame.f_code is solution.Solution.load.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))
