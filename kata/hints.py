"""The verb `hint`: which one comes next, how it looks, and that it was shown.

First comes the hint of the check that the file failed last, if the file is still the same; then the lesson's ladder,
rung by rung. Nothing comes twice before everything was shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kata import lessons, pages, progress
from kata.expected import Check, checks_in
from kata.lessons import Hint
from kata.look import Look, name_of, say
from kata.path import next_step, survey
from kata.progress import Progress
from kata.source import digest_of
from kata.steps import EXERCISES, Step, get_step


@dataclass(frozen=True)
class Shown:
    """What has been shown of a step's hints: so many rungs of its ladder, and those of these checks."""

    rungs: int = 0
    checks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Next:
    """The hint that comes next, a check's or a rung's, and what has been shown after it."""

    hint: Check | Hint
    shown: Shown
    is_again: bool = False  # all were shown, and they begin again
    is_last: bool = False


def hint(number: int | None, look: Look) -> int:
    """The next hint of a step, or of the one that is worked on; that it was shown is remembered."""
    standing = progress.load()[0]
    places = survey(standing)
    step = get_step(number) if number else next_step(places)
    if step is None:
        say(pages.whats_next(places, look))
        return 0
    ladder, failing = lessons.hints_of(step), _failing(step, standing)
    shown = Shown(standing.hints.get(step.number, 0), tuple(standing.check_hints.get(step.number, ())))
    found = next_hint(ladder, failing, shown)
    if found is None:
        say(f"step {step.number} has no hints: {name_of(step.lesson)} is not there or holds none")
        return 0
    lines = _page(found, step, len(ladder), step.number in standing.passed, look)
    if failing is None and step.number in standing.failed:
        first = f"{look.verb('check', step.number)} first: your file changed since, and"
        lines += look.labelled("or", f"{first} a check that fails has a hint of its own")
    say(lines)
    trouble = progress.update(lambda standing: _remember(standing, step.number, found.shown))
    if trouble:
        say(look.paragraph(trouble))
    return 1 if trouble.startswith("progress is not saved") else 0


def next_hint(ladder: Sequence[Hint], failing: Check | None, shown: Shown) -> Next | None:
    """`failing`: the check that the file fails as it is. None where there is no hint at all."""
    found = _after(ladder, failing, shown)
    is_again = found is None
    if is_again and (found := _after(ladder, failing, Shown())) is None:
        return None
    return Next(*found, is_again, is_last=_after(ladder, failing, found[1]) is None)


def _after(ladder: Sequence[Hint], failing: Check | None, shown: Shown) -> tuple[Check | Hint, Shown] | None:
    if failing and failing.hint and failing.name not in shown.checks:
        return failing, Shown(shown.rungs, (*shown.checks, failing.name))
    if shown.rungs < len(ladder):
        return ladder[shown.rungs], Shown(shown.rungs + 1, shown.checks)
    return None


def _failing(step: Step, standing: Progress) -> Check | None:
    """The check that the learner's file failed last, where the file has not changed since."""
    failed = standing.failed.get(step.number)
    if failed is None or failed.digest != digest_of(step.file_in(EXERCISES)):
        return None
    try:
        return next((check for check in checks_in(step.test_file) if check.name == failed.check), None)
    except (OSError, SyntaxError):
        return None


def _remember(standing: Progress, number: int, shown: Shown) -> None:
    standing.hints[number] = shown.rungs
    standing.check_hints[number] = list(shown.checks)


def _page(found: Next, step: Step, rungs: int, has_passed: bool, look: Look) -> list[str]:
    lines = look.paragraph(f"you have seen the hints of step {step.number}; they begin again") if found.is_again else []
    if isinstance(found.hint, Check):
        title = f"step {step.number}, a hint for the check that failed:"
        lines += map(look.strong, look.paragraph(title))
        lines += [*look.paragraph(found.hint.sentence, "  "), ""]
    else:
        title = f"step {step.number}, hint {found.hint.rung} of {rungs}: {found.hint.title}"
        lines += [*map(look.strong, look.paragraph(title)), ""]
    text = found.hint.hint if isinstance(found.hint, Check) else found.hint.text
    for line, is_code in lessons.paragraphs(text):
        lines += [line] if is_code else look.paragraph(line, most=1000)
    lines.append("")
    if not found.is_last:
        return lines + look.labelled("next", look.verb("hint", step.number))
    answer = look.verb("solution", step.number, "" if has_passed else "yes")
    return lines + look.labelled("next", f"that was the last; {answer} shows the reference")
