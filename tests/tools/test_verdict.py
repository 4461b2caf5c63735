"""From the evidence to the verdict, event by event: what is shown of a failure, and every way a run can end."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest

from kata.expected import Check
from kata.stacks import Frame
from kata.verdict import Ending, Failure, Kind, Outcome, Verdict, judge

A, B, STAR = Check("test_a", "A."), Check("test_b", "B."), Check("test_c", "C.", stretch=True)
EXPECTED = [A, B, STAR]
ERROR = {"kind": "error", "type": "ValueError", "message": "no", "frames": [{"line": 3}], "loading": False}


def started(check: Check) -> dict:
    return {"event": "started", "check": check.name}


def finished(check: Check, failure: dict | None = None, seconds: float = 0.25) -> dict:
    return {"event": "finished", "check": check.name, "failure": failure, "seconds": seconds}


def events(*told: dict, collected: tuple[Check, ...] = (A, B, STAR)) -> list[dict]:
    return read([{"event": "collected", "checks": [check.name for check in collected]}, *told, {"event": "end"}])


def read(told: list[dict]) -> list[dict]:
    """As the runner has them, from a file: no text of theirs is the very object that the kata compares it with."""
    return json.loads(json.dumps(told))


def passes(*checks: Check) -> list[dict]:
    return [event for check in checks for event in (started(check), finished(check))]


def fails(check: Check, **changes: object) -> list[dict]:
    return [started(check), finished(check, ERROR | changes)]


def test_a_kind_has_its_exit_status() -> None:
    statuses = {kind.name: kind.exit_status for kind in Kind}
    assert statuses == {"PASSED": 0, "FAILED": 1, "NOT_STARTED": 1, "BROKEN": 2, "CANNOT_LOAD": 3}
    assert len({kind.value for kind in Kind}) == len(Kind)


def test_the_whole_verdict_on_a_step_that_passes() -> None:
    verdict = judge(EXPECTED, events(*passes(A, B, STAR)), Ending())
    outcomes = tuple(Outcome(check, "passed", None, 0.25) for check in EXPECTED)
    assert verdict == Verdict(Kind.PASSED, outcomes, "")
    assert [verdict.count("passed", False), verdict.count("passed", True)] == [2, 1]
    assert [verdict.total(False), verdict.total(True)] == [2, 1]
    assert verdict.first is None


def test_the_whole_verdict_on_a_step_that_fails() -> None:
    verdict = judge(EXPECTED, events(*passes(A), *fails(B, call="f(1)", got="2")), Ending())
    failure = Failure("error", "no", "ValueError", ({"line": 3},), False, {"call": "f(1)", "got": "2"})
    outcomes = (Outcome(A, "passed", None, 0.25), Outcome(B, "failed", failure, 0.25), Outcome(STAR, "not run"))
    assert verdict == Verdict(Kind.FAILED, outcomes)
    assert verdict.first == outcomes[1]
    counts = [verdict.count(result, False) for result in ("passed", "failed", "not run")]
    assert counts == [1, 1, 0] and verdict.count("not run", True) == 1


def test_the_first_failure_is_that_of_a_required_check_in_the_order_of_the_file() -> None:
    told = events(*fails(STAR), *fails(B, message="second"), *fails(A, message="first"))
    assert judge([STAR, A, B], told, Ending()).first.failure.message == "first"
    assert judge(EXPECTED, events(*passes(A, B), *fails(STAR)), Ending()).first is None


def test_what_a_failure_does_not_tell_stays_empty() -> None:
    verdict = judge(EXPECTED, events(started(A), finished(A, {"kind": "exit", "message": "gone"})), Ending())
    assert verdict.first.failure == Failure("exit", "gone", "", (), False, {})


def test_values_are_left_as_they_are() -> None:
    for value in (Failure("time", "slow"), Outcome(A, "passed"), Ending(), Verdict(Kind.PASSED)):
        with pytest.raises(FrozenInstanceError):
            value.kind = "another"
        assert replace(value) == value
    assert Ending() == Ending(0, (), "", 0.0)
    assert Failure("time", "slow") == Failure("time", "slow", "", (), False, {})
    assert Outcome(A, "passed") == Outcome(A, "passed", None, None)
    assert Verdict(Kind.BROKEN) == Verdict(Kind.BROKEN, (), "")


@pytest.mark.parametrize(
    ("failure", "also", "kind"),
    [
        ({"kind": "todo"}, [], Kind.NOT_STARTED),
        ({"kind": "todo", "loading": True}, [], Kind.NOT_STARTED),
        ({"kind": "todo"}, passes(B), Kind.FAILED),
        ({"kind": "todo", "loading": True}, passes(B), Kind.FAILED),
        ({"kind": "todo"}, passes(STAR), Kind.NOT_STARTED),
        ({"loading": True}, [], Kind.CANNOT_LOAD),
        ({"loading": True}, passes(B), Kind.FAILED),
        ({"loading": True}, passes(STAR), Kind.CANNOT_LOAD),
        ({"kind": "undefined"}, [], Kind.FAILED),
        ({"kind": "undefined", "loading": True}, [], Kind.CANNOT_LOAD),
        ({}, [], Kind.FAILED),
    ],
)
def test_the_kind_follows_from_the_first_failure_and_from_whether_anything_passed(failure, also, kind: Kind) -> None:
    assert judge(EXPECTED, events(*fails(A, **failure), *also), Ending()).kind is kind


def test_a_file_without_required_checks_is_broken() -> None:
    for expected in ([], [STAR]):
        verdict = judge(expected, events(*passes(STAR)), Ending())
        assert verdict == Verdict(Kind.BROKEN, broken="the file of checks holds no required check")


def test_what_could_not_be_collected_is_told_as_it_was() -> None:
    uncollected = {"event": "uncollected", "why": "ModuleNotFoundError"}
    for told in ([uncollected], [uncollected, *events(*passes(A, B))], [*events(*passes(A, B)), uncollected]):
        assert judge(EXPECTED, read(told), Ending(5)) == Verdict(Kind.BROKEN, broken="ModuleNotFoundError")


ENDINGS = [
    (Ending(None, limit_s=2.5), "time", "still running after 2.5 seconds, so it was stopped"),
    (Ending(None, limit_s=20.0), "time", "still running after 20 seconds, so it was stopped"),
    (Ending(-11, crash="Fatal Python error"), "died", "the Python interpreter crashed: Fatal Python error"),
    (Ending(-9), "died", "the process was killed by signal 9 (out of memory?)"),
    (Ending(-1), "died", "the process was killed by signal 1"),
    (Ending(-15), "died", "the process was killed by signal 15"),
    (Ending(0), "died", "the process ended before the check did, with exit status 0"),
    (Ending(1), "died", "the process ended before the check did, with exit status 1"),
]


@pytest.mark.parametrize(("ending", "kind", "told"), ENDINGS)
def test_every_way_to_end_is_told_in_words_of_its_own(ending: Ending, kind: str, told: str) -> None:
    assert judge(EXPECTED, [], ending) == Verdict(Kind.BROKEN, broken=told)
    verdict = judge(EXPECTED, events(*passes(A), started(B)), ending)
    assert verdict.first == Outcome(B, "failed", Failure(kind, told))
    assert verdict.outcomes[2] == Outcome(STAR, "not run") and verdict.kind is Kind.FAILED


def test_the_check_that_was_running_is_told_with_the_innermost_place() -> None:
    outer, inner = Frame("/a.py", 3, "outer"), Frame("/a.py", 7, "<lambda>")
    failure = judge(EXPECTED, events(started(A)), Ending(None, (outer, outer, inner))).first.failure
    assert failure.frames == ({"file": "/a.py", "line": 7, "function": "<lambda>", "text": ""},)
    assert failure.loading is False
    assert judge(EXPECTED, events(started(A)), Ending(None)).first.failure.frames == ()


@pytest.mark.parametrize("number", [0, 1])
def test_an_end_while_the_file_is_loaded_means_that_it_cannot_be(number: int) -> None:
    frames = [Frame("/a.py", 3, "f"), Frame("/a.py", 7, "g")]
    frames[number] = Frame("/a.py", 1, "<module>")
    verdict = judge(EXPECTED, events(started(A)), Ending(None, tuple(frames)))
    assert verdict.first.failure.loading is True and verdict.kind is Kind.CANNOT_LOAD


def test_an_end_between_two_checks_is_a_failure_of_the_first_that_did_not_run() -> None:
    wanted = Outcome(A, "failed", Failure("died", "the process ended before the check did, with exit status 3"))
    verdict = judge(EXPECTED, events(), Ending(3))
    assert verdict.outcomes == (wanted, Outcome(B, "not run"), Outcome(STAR, "not run"))
    verdict = judge(EXPECTED, events(*passes(A)), Ending(3))
    assert verdict.outcomes[1:] == (replace(wanted, check=B), Outcome(STAR, "not run"))


def test_after_a_failure_what_did_not_run_has_not_failed() -> None:
    verdict = judge(EXPECTED, events(*fails(A)), Ending(0))
    assert [outcome.result for outcome in verdict.outcomes] == ["failed", "not run", "not run"]
    verdict = judge([B, A, STAR], events(*fails(A)), Ending(0))
    assert [outcome.result for outcome in verdict.outcomes] == ["not run", "failed", "not run"]


def test_a_star_that_did_not_run_is_no_sudden_end() -> None:
    verdict = judge([STAR, A, B], events(*passes(A, B)), Ending(3))
    assert verdict.kind is Kind.PASSED and verdict.outcomes[0] == Outcome(STAR, "not run")


def test_a_check_that_pytest_did_not_find_has_failed() -> None:
    verdict = judge(EXPECTED, events(*passes(A, B), collected=(A, STAR)), Ending())
    assert verdict.outcomes[1] == Outcome(B, "failed", Failure("missing", "pytest did not find this check"))


def test_an_end_counts_only_after_its_beginning_and_one_failure_is_enough() -> None:
    early = judge(EXPECTED, events(*passes(A), finished(B), started(B)), Ending())
    assert early.first.check == B and early.first.failure.kind == "died"
    for ends in ([finished(A), finished(A, ERROR)], [finished(A, ERROR), finished(A)]):
        verdict = judge(EXPECTED, events(started(A), *ends, *passes(B)), Ending())
        assert verdict.first.failure.message == "no"
    again = judge(EXPECTED, events(started(A), started(A), finished(A), *passes(B)), Ending())
    assert again.kind is Kind.PASSED


def test_what_one_check_tells_is_not_taken_for_another() -> None:
    verdict = judge(EXPECTED, events(started(A), finished(B), *passes(B)), Ending())
    assert verdict.first == Outcome(
        A, "failed", Failure("died", "the process ended before the check did, with exit status 0")
    )
    told = events(started(A), started(B), finished(B, seconds=2.0), finished(A, seconds=3.0))
    assert [outcome.seconds for outcome in judge(EXPECTED, told, Ending()).outcomes] == [3.0, 2.0, None]
    told = events(started(A), finished(A, seconds=2.0), started(B), finished(B, seconds=3.0))
    assert [outcome.seconds for outcome in judge(EXPECTED, told, Ending()).outcomes] == [2.0, 3.0, None]


@pytest.mark.parametrize("event", ["another", "zone"])
def test_an_event_that_is_not_known_says_nothing(event: str) -> None:
    unknown = {"event": event, "check": "test_b"}
    told = [unknown, *events(*passes(A), unknown, finished(B), started(B), unknown)]
    verdict = judge(EXPECTED, told, Ending())
    assert verdict.first.check == B and verdict.first.failure.kind == "died"
    assert judge(EXPECTED, [unknown, *events(*passes(A, B))], Ending()).kind is Kind.PASSED
