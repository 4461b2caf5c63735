"""The path of nine: the state of each step, which step comes next, and whose file stands for each step in a check."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from kata.fingerprint import fingerprint_of
from kata.progress import Progress
from kata.source import digest_of
from kata.steps import EXERCISES, REFERENCE, STEPS, Step
from kata.stubs import is_stub


class State(Enum):
    PASSED = "passed"
    CHANGED = "changed"  # passed once, and its file is another since
    MISSING = "missing"  # passed once, and its file is gone
    RECHECK = "recheck"  # passed, and its checks are others since
    OPEN = "open"
    LOCKED = "locked"
    REFERENCE = "reference"  # jumped over: the reference stands in for it


@dataclass(frozen=True)
class Place:
    """A step and where it stands."""

    step: Step
    state: State
    stars: int = 0

    @property
    def is_stale(self) -> bool:
        """Whether it has passed, but not with the file that is there now, or not these checks."""
        return self.state in (State.CHANGED, State.MISSING, State.RECHECK)


def survey(
    progress: Progress, digests: Mapping[int, str | None] | None = None, checks: Mapping[int, str] | None = None
) -> list[Place]:
    """The nine places. The digests of the learner's files and what the checks are now are read where not handed in."""
    stubs_again: Collection[int] = ()
    if digests is None:
        digests = {step.number: digest_of(step.file_in(EXERCISES)) for step in STEPS}
        others = [step for step in STEPS if step.number in progress.passed and digests[step.number]]
        others = [step for step in others if progress.passed[step.number].digest != digests[step.number]]
        stubs_again = [step.number for step in others if is_stub(step.file_in(EXERCISES), step)]
    places, open_found = [], False
    for step in STEPS:
        passed = progress.passed.get(step.number)
        if passed and passed.digest == digests.get(step.number):
            now = fingerprint_of(step) if checks is None else checks.get(step.number)
            state = State.RECHECK if now and now != passed.checks else State.PASSED
        elif passed and not digests.get(step.number):
            state = State.MISSING
        elif passed and step.number not in stubs_again:
            state = State.CHANGED
        elif step.number < progress.base:
            state = State.REFERENCE
        else:
            state = State.LOCKED if open_found else State.OPEN
            open_found = True
        places.append(Place(step, state, passed.stars if passed else 0))
    return places


def next_step(places: list[Place]) -> Step | None:
    """The first step to work on: stale since its pass, or open; None where all are passed."""
    return next((place.step for place in places if place.is_stale or place.state is State.OPEN), None)


def blocking(places: list[Place], number: int) -> Step | None:
    """The first step before `number` that has never passed and is not jumped over."""
    before = [place for place in places if place.step.number < number]
    return next((place.step for place in before if place.state in (State.OPEN, State.LOCKED)), None)


def sources_for(places: list[Place], number: int) -> dict[int, Path]:
    """Step to file: the learner's for `number` and for what is passed, the reference's for the others before it."""
    return {
        place.step.number: place.step.file_in(
            REFERENCE if place.step.number < number and place.state is not State.PASSED else EXERCISES
        )
        for place in places
    }
