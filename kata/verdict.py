"""From the checks that were to run and the evidence of what ran to a verdict. Pure: it runs and reads nothing.

A check has passed only where the evidence says that it was collected, began, ended and raised nothing. Everything else,
a missing line included, is a failure that says what is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from kata.expected import Check
from kata.stacks import Frame


class Kind(Enum):
    """The verdict on a step; the value is the exit status."""

    PASSED = 0
    FAILED = 1
    NOT_STARTED = -1
    BROKEN = 2  # the kata itself could not run its checks
    CANNOT_LOAD = 3

    @property
    def exit_status(self) -> int:
        return abs(self.value)


@dataclass(frozen=True)
class Failure:
    """Why a check failed.

    `kind`: check (it judged), error (an exception), undefined (a name is not in the file), todo, skip, exit, interrupt,
    time (stopped at its limit), died (the process ended), missing (pytest never had it), tampering (with a check).
    """

    kind: str
    message: str
    type: str = ""
    frames: tuple[dict, ...] = ()  # of the solution's files: file, line, function, text; outermost first
    loading: bool = False
    parts: dict = field(default_factory=dict)  # call, got, wanted, why, trace; or name and file


@dataclass(frozen=True)
class Outcome:
    """One check: `passed`, `failed` or `not run`."""

    check: Check
    result: str
    failure: Failure | None = None
    seconds: float | None = None  # how long it took, where it came to its end


@dataclass(frozen=True)
class Ending:
    """How the process of the checks ended."""

    status: int | None = 0  # None: it was stopped at a time limit
    where: tuple[Frame, ...] = ()  # the solution's frames in the last dump of stacks, outermost first
    crash: str = ""  # the first line of a crash's dump
    limit_s: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """The verdict on one step."""

    kind: Kind
    outcomes: tuple[Outcome, ...] = ()
    broken: str = ""  # why the checks could not be run

    def count(self, result: str, stretch: bool) -> int:
        return sum(o.result == result and o.check.stretch == stretch for o in self.outcomes)

    def total(self, stretch: bool) -> int:
        return sum(o.check.stretch == stretch for o in self.outcomes)

    @property
    def first(self) -> Outcome | None:
        """The first required check that failed."""
        return next((o for o in self.outcomes if o.result == "failed" and not o.check.stretch), None)


def judge(expected: Sequence[Check], events: Sequence[dict], ending: Ending) -> Verdict:
    """The verdict on a step from the checks it has, the signed events in order, and the end of the process."""
    if not any(not check.stretch for check in expected):
        return Verdict(Kind.BROKEN, broken="the file of checks holds no required check")
    collected = next((set(event["checks"]) for event in events if event["event"] == "collected"), None)
    uncollected = next((event["why"] for event in events if event["event"] == "uncollected"), "")
    if collected is None or uncollected:
        return Verdict(Kind.BROKEN, broken=uncollected or _how_it_ended(ending))
    outcomes = _with_sudden_end([_outcome(check, collected, events, ending) for check in expected], ending)
    verdict = Verdict(Kind.PASSED, tuple(outcomes))
    return verdict if verdict.first is None else Verdict(_kind_of_failure(verdict), verdict.outcomes)


def _kind_of_failure(verdict: Verdict) -> Kind:
    failure, nothing_passed = verdict.first.failure, not verdict.count("passed", stretch=False)
    if failure.kind == "todo" and nothing_passed:
        return Kind.NOT_STARTED
    return Kind.CANNOT_LOAD if failure.loading and nothing_passed else Kind.FAILED


def _outcome(check: Check, collected: set[str], events: Sequence[dict], ending: Ending) -> Outcome:
    if check.name not in collected:
        return Outcome(check, "failed", Failure("missing", "pytest did not find this check"))
    began, ended = False, []
    for event in events:
        if event.get("check") == check.name:
            began = began or event["event"] == "started"
            ended += [event["failure"]] if began and event["event"] == "finished" else []
    if not began:
        return Outcome(check, "not run")
    if not ended:
        return Outcome(check, "failed", _unfinished(ending))
    told = next((failure for failure in ended if failure is not None), None)
    seconds = next(event.get("seconds") for event in events if _is_end_of(event, check))
    result = "passed" if told is None else "failed"
    return Outcome(check, result, None if told is None else _failure(told), seconds)


def _is_end_of(event: dict, check: Check) -> bool:
    return event["event"] == "finished" and event["check"] == check.name


def _with_sudden_end(outcomes: list[Outcome], ending: Ending) -> list[Outcome]:
    """Where no required check failed and yet one did not run, the process ended between two checks."""
    required = [outcome for outcome in outcomes if not outcome.check.stretch]
    unrun = next((outcome for outcome in required if outcome.result == "not run"), None)
    if unrun is None or any(outcome.result == "failed" for outcome in required):
        return outcomes
    failed = Outcome(unrun.check, "failed", _unfinished(ending))
    return [failed if outcome is unrun else outcome for outcome in outcomes]


def _failure(told: dict) -> Failure:
    known = ("kind", "message", "type", "frames", "loading")
    parts = {name: value for name, value in told.items() if name not in known}
    frames = tuple(told.get("frames", ()))
    return Failure(told["kind"], told["message"], told.get("type", ""), frames, bool(told.get("loading")), parts)


def _unfinished(ending: Ending) -> Failure:
    frames = tuple({"file": f.file, "line": f.line, "function": f.function, "text": ""} for f in ending.where[-1:])
    loading = any(frame.function == "<module>" for frame in ending.where)
    kind = "time" if ending.status is None else "died"
    return Failure(kind, _how_it_ended(ending), frames=frames, loading=loading)


def _how_it_ended(ending: Ending) -> str:
    if ending.status is None:
        return f"still running after {ending.limit_s:g} seconds, so it was stopped"
    if ending.crash:
        return f"the Python interpreter crashed: {ending.crash}"
    if ending.status < 0:
        memory = " (out of memory?)" if ending.status == -9 else ""
        return f"the process was killed by signal {-ending.status}{memory}"
    return f"the process ended before the check did, with exit status {ending.status}"
