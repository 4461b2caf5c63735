"""Verdicts and progress as JSON, for a machine to read: `check --json` and `progress --json`.

`schema_version` grows when a field changes its meaning or goes; fields may be added under the same number. Of the same
files the same JSON comes, but for what is called `seconds`.
"""

import json
import platform
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from kata.check import Result
from kata.fingerprint import fingerprint_of
from kata.look import name_of
from kata.looks_like import looks_like
from kata.path import Place, State, next_step
from kata.source import digest_of
from kata.steps import EXERCISES, REFERENCE, ROOT, Step
from kata.verdict import Failure, Kind, Outcome

SCHEMA_VERSION = 1
PACKAGES = ("torch", "transformers", "tokenizers", "fastapi", "pydantic", "pytest")
_OUTCOMES = {
    Kind.PASSED: "passed",
    Kind.FAILED: "failed",
    Kind.NOT_STARTED: "not_started",
    Kind.BROKEN: "broken",
    Kind.CANNOT_LOAD: "cannot_load",
}


def check_data(results: Sequence[Result], status: int, locked_by: Step | None = None) -> dict[str, object]:
    """What a check came to: the steps in the order in which they were checked; the last is the one asked for."""
    outcome = "locked" if locked_by else outcome_of(results[-1]) if results else "nothing_to_check"
    data = {"schema_version": SCHEMA_VERSION, "verb": "check", "outcome": outcome, "exit_status": status}
    if locked_by:
        data["locked_by"] = locked_by.number
    return data | {"steps": [step_data(result) for result in results], "versions": versions()}


def step_data(result: Result) -> dict[str, object]:
    """One step's verdict."""
    verdict = result.verdict
    seconds = [outcome.seconds for outcome in verdict.outcomes if outcome.seconds is not None]
    return {
        **_named(result.step),
        "outcome": outcome_of(result),
        "file": name_of(result.file),
        "sha256": result.source.digest if result.source else digest_of(result.file),
        "checks_fingerprint": fingerprint_of(result.step),
        "lent_by_the_reference": list(result.lent),
        "passed": verdict.count("passed", stretch=False),
        "required": verdict.total(stretch=False),
        "stars": verdict.count("passed", stretch=True),
        "stars_to_have": verdict.total(stretch=True),
        "seconds": round(sum(seconds), 4),
        "message": verdict.broken,
        "looks_like": next(filter(None, (looks_like(o, result.step, verdict) for o in verdict.outcomes)), ""),
        "checks": [check_line(outcome) for outcome in verdict.outcomes],
    }


def outcome_of(result: Result) -> str:
    """In a word. A file that changes while it is checked has not passed, whatever the checks say."""
    passed = result.verdict.kind is Kind.PASSED
    return "changed_meanwhile" if passed and result.changed_meanwhile else _OUTCOMES[result.verdict.kind]


def check_line(outcome: Outcome) -> dict[str, object]:
    """One check. `message` is empty where nothing failed."""
    failure, check = outcome.failure, outcome.check
    return {
        "name": check.name,
        "sentence": check.sentence,
        "stretch": check.stretch,
        "outcome": outcome.result.replace(" ", "_"),
        "seconds": outcome.seconds,
        "message": message_of(failure) if failure else "",
        "failure": failure and _failure_data(failure),
    }


def message_of(failure: Failure) -> str:
    """The failure in a line or a few: why, where the check says so, else the error."""
    if failure.kind == "check":
        return failure.parts["why"]
    return ": ".join(part for part in (failure.type, failure.message) if part) or failure.kind


def progress_data(places: Sequence[Place], stars_to_have: Sequence[int], trouble: str) -> dict[str, object]:
    """The path of nine. stars_to_have: of each place."""
    following = next_step(list(places))
    return {
        "schema_version": SCHEMA_VERSION,
        "verb": "progress",
        "passed": sum(place.state is State.PASSED for place in places),
        "next": following and following.number,
        "message": trouble,
        "steps": [_place_data(place, stars) for place, stars in zip(places, stars_to_have, strict=True)],
        "versions": versions(),
    }


def _place_data(place: Place, stars: int) -> dict[str, object]:
    file = place.step.file_in(REFERENCE if place.state is State.REFERENCE else EXERCISES)
    data = _named(place.step) | {"state": place.state.value, "file": name_of(file), "sha256": digest_of(file)}
    return data | {"stars": place.stars if place.state is State.PASSED else 0, "stars_to_have": stars}


def _named(step: Step) -> dict[str, object]:
    return {"step": step.number, "name": step.name, "title": step.title}


def _failure_data(failure: Failure) -> dict[str, object]:
    frames = [{"file": name_of(each["file"]), "line": each["line"], "in": each["function"]} for each in failure.frames]
    data = {"kind": failure.kind, "type": failure.type, "where": frames}
    return data | {
        part: failure.parts[part] for part in ("call", "got", "wanted", "why", "trace") if part in failure.parts
    }


@cache
def versions() -> dict[str, str | None]:
    """The kata's, Python's, and those of what is installed; None where a package is missing."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        kata = tomllib.load(file)["project"]["version"]
    return {"kata": kata, "python": platform.python_version()} | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def text_of(data: dict[str, object]) -> str:
    """In ASCII, so that it is the same on every terminal and in every pipe."""
    return json.dumps(data, indent=2)
