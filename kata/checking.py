"""The verb `check`: which step, on whose earlier steps, what is checked again, what is remembered."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kata import pages, progress, report
from kata.check import Result, Sources, check_step
from kata.fingerprint import fingerprint_of
from kata.look import Look, harmless, name_of, say
from kata.path import Place, State, blocking, next_step, sources_for, survey
from kata.progress import Failed, Pass, Progress
from kata.steps import REFERENCE, STEPS, Step, get_step
from kata.verdict import Kind

LOCKED = 2


@dataclass(frozen=True)
class Wish:
    """What the learner asked for besides the step."""

    verbose: bool = False
    force: bool = False
    limit_s: float = 20.0


@dataclass(frozen=True)
class Way:
    """How a step is checked, and who hears of it; `watch` and `--json` have ways of their own."""

    tell: Callable[[Iterable[str] | str], None] = say
    check: Callable[[Step, Sources, float, bool], Result] = check_step
    came: Callable[[Result], None] = lambda result: None  # is handed each result, in order


PLAINLY = Way()


def check_own(number: int | None, wish: Wish, look: Look, way: Way = PLAINLY) -> int:
    """Check a step of the learner's, or the first that is not passed; the exit status."""
    standing, trouble = progress.load()
    if trouble:
        way.tell(look.paragraph(trouble))
    known = _find_again(wish, look, way) if standing.find_again else {}
    places = survey(progress.load()[0])
    step = get_step(number) if number else first_to_check(places)
    if step is None:
        way.tell(pages.whats_next(places, look))
        return 0
    before = blocking(places, step.number)
    if before is not None and not wish.force:
        way.tell(pages.locked_page(step, before, look))
        return LOCKED
    if not wish.force and (status := _check_stale(step, wish, look, way)):
        return status
    result = known.get(step.number) or _check(step, wish, look, way)
    _tell(result, wish, look, way)
    return result.exit_status


def first_to_check(places: list[Place]) -> Step | None:
    """The next step; where only the checks of it and others changed, the last of these: the others go before it."""
    step = next_step(places)
    if step is None or places[step.number - 1].state is not State.RECHECK:
        return step
    others = [place.step for place in places if place.state not in (State.PASSED, State.REFERENCE, State.RECHECK)]
    again = [place.step for place in places if place.state is State.RECHECK]
    return others[0] if others else again[-1]


def check_other(number: int, folder: Path, wish: Wish, look: Look, way: Way = PLAINLY) -> int:
    """Check a step of another solution: every check's line, nothing remembered. The exit status."""
    step = get_step(number)
    sources = {other.number: other.file_in(folder) for other in STEPS}
    lent = [n for n, file in sources.items() if n < number and not file.exists()]
    sources |= {n: get_step(n).file_in(REFERENCE) for n in lent}
    way.tell(f"step {number}: {step.title}  ({name_of(folder)})")
    _tell_lent(lent, look, way)
    result = replace(way.check(step, sources, wish.limit_s, True), lent=tuple(lent))
    way.came(result)
    passed = result.verdict.kind is Kind.PASSED
    if result.verdict.kind is Kind.BROKEN:
        way.tell(_broken(result, look))
    else:
        tell = report.pass_report if passed else report.failure_report
        way.tell(tell(result, look, wish.verbose, every_line=True))
    return result.exit_status


def _check(step: Step, wish: Wish, look: Look, way: Way) -> Result:
    """Check the learner's file on what stands before it, and remember what came of it."""
    for _ in range(3):
        places = survey(progress.load()[0])
        had_passed = places[step.number - 1].state is State.RECHECK
        sources = sources_for(places, step.number)
        way.tell(f"step {step.number}: {step.title}")
        lent = tuple(n for n, file in sources.items() if file.parent == REFERENCE)
        _tell_lent(lent, look, way)
        result = replace(way.check(step, sources, wish.limit_s, wish.verbose or had_passed), lent=lent)
        if not result.changed_meanwhile:
            break
        way.tell(f"{name_of(result.file)} was saved meanwhile: checking it again")
    way.came(result)
    if not result.changed_meanwhile and result.verdict.kind is not Kind.BROKEN:
        _remember(result, look, way)
    if had_passed and result.verdict.kind is Kind.FAILED:
        way.tell(report.fails_newly(result, look))
    return result


def _remember(result: Result, look: Look, way: Way) -> None:
    """A pass with what was passed; else the check that failed. Only a pass that is not saved is worth a line."""
    number, verdict = result.step.number, result.verdict
    passed = verdict.kind is Kind.PASSED

    def change(standing: Progress) -> None:
        standing.failed.pop(number, None)
        if passed:
            stars, checks = verdict.count("passed", stretch=True), fingerprint_of(result.step)
            standing.passed[number] = Pass(result.source.digest, stars, checks)
        elif verdict.kind is Kind.FAILED and verdict.first.failure.kind != "todo":
            standing.failed[number] = Failed(result.source.digest, verdict.first.check.name)

    trouble = progress.update(change)
    if trouble and passed:
        way.tell(look.paragraph(trouble))


def _check_stale(step: Step, wish: Wish, look: Look, way: Way) -> int:
    """Earlier steps that are stale are looked at first; 0 where all pass, else the exit status."""
    for place in survey(progress.load()[0]):
        if place.step.number < step.number and place.is_stale:
            way.tell(f"{pages.stale(place)}: it is checked first")
            result = _check(place.step, wish, look, way)
            if result.exit_status:
                _tell(result, wish, look, way)
                return result.exit_status
            way.tell([*report.pass_report(result, look), ""])
    return 0


def _find_again(wish: Wish, look: Look, way: Way) -> Mapping[int, Result]:
    """After a damaged progress file: every step from the first on, up to the first that does not pass."""
    way.tell("checking your steps from the first on, to find your passes again")
    results: dict[int, Result] = {}
    for step in STEPS:
        results[step.number] = result = _check(step, wish, look, way)
        passed = result.exit_status == 0
        way.tell(f"step {step.number} {'passed' if passed else 'does not pass: from here you go on'}")
        if not passed:
            break
    if trouble := progress.update(lambda standing: setattr(standing, "find_again", False)):
        way.tell(look.paragraph(trouble))
    way.tell("")
    return results


def _tell(result: Result, wish: Wish, look: Look, way: Way) -> None:
    if result.verdict.kind is Kind.BROKEN:
        way.tell(_broken(result, look))
    elif result.verdict.kind is not Kind.PASSED:
        way.tell(report.failure_report(result, look, wish.verbose))
    elif result.changed_meanwhile:
        way.tell(f"{name_of(result.file)} changes while it is checked: nothing is remembered, check it again")
    else:
        lines = report.pass_report(result, look, wish.verbose)
        way.tell([*lines, "", *pages.whats_next(survey(progress.load()[0]), look)])


def _broken(result: Result, look: Look) -> list[str]:
    lines = look.paragraph(f"the checks of step {result.step.number} could not be run; this says nothing of your file")
    lines += look.labelled("what", "\n".join(harmless(result.verdict.broken).strip().split("\n")[-6:]), 8)
    if result.output is not None and (text := result.output.of("").texts()[0].strip()):
        lines += look.labelled("printed", text, 8)
    return lines + look.labelled("help", f"{look.verb('setup')} mends a broken environment")


def _tell_lent(numbers: Sequence[int], look: Look, way: Way) -> None:
    if numbers:
        way.tell(look.paragraph(f"the reference stands in for {pages.numbered(numbers)}"))
