"""Hands verdicts and progress to a machine: JSON on stdout, JUnit's XML in a file.

Where JSON is asked for, `sys.stdout` is stderr, so that whatever is said for people goes there.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from kata import as_json, as_junit, pages, progress
from kata.check import Result
from kata.look import Look, name_of, say
from kata.path import blocking, survey

WRONG_USE = 2


def hand_over_check(
    results: Sequence[Result], status: int, number: int | None, json: bool, junit: str | None, look: Look
) -> int:
    """What came of a check of step `number`; the exit status, the check's own where the file could be written."""
    if json:
        locked_by = (
            blocking(survey(progress.load()[0]), number) if status == WRONG_USE and number and not results else None
        )
        _print(as_json.check_data(results, status, locked_by))
    return _write(lambda file: as_junit.write_check(results, file), junit, status, look)


def hand_over_progress(json: bool, junit: str | None, look: Look) -> int:
    standing, trouble = progress.load()
    if trouble:
        say(look.paragraph(trouble))
    places = survey(standing)
    if json:
        _print(as_json.progress_data(places, [pages.stars_of(place.step) for place in places], trouble))
    return _write(lambda file: as_junit.write_progress(places, file), junit, 0, look)


def _print(data: dict[str, object]) -> None:
    print(as_json.text_of(data), file=sys.__stdout__, flush=True)


def _write(write: Callable[[Path], None], junit: str | None, status: int, look: Look) -> int:
    if junit:
        file = Path(junit).expanduser().resolve()
        try:
            write(file)
        except OSError as error:
            say(look.paragraph(f"{name_of(file)} cannot be written: {error.strerror or error}"), sys.stderr)
            return WRONG_USE
    return status
