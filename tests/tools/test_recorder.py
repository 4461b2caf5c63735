"""What runs on a specimen, and what is read from the record of a process that may have ended anywhere."""

import io
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from kata.steps import get_step
from tests.tools.recorder import Recorder, read_record
from tests.tools.specimens import FAULTS, Specimen

STEP = get_step(5)
FAULT = Specimen(FAULTS / "step_05/x.py", STEP, True, ("test_a", "test_b"), ("the point",))


def check(name: str, star: bool = False, step=STEP) -> SimpleNamespace:
    mark = object() if star else None
    return SimpleNamespace(name=name, path=step.test_file, get_closest_marker=lambda _: mark)


def runs(recorder: Recorder, *names: str) -> list[str]:
    return [name for name in names if recorder.pytest_runtest_protocol(check(name)) is None]


def fails(recorder: Recorder, name: str, text: str) -> None:
    error = SimpleNamespace(excinfo=SimpleNamespace(typename="AssertionError", value=AssertionError(text)))
    recorder.pytest_exception_interact(check(name), error)


def test_stars_come_last_and_are_not_asked_of_variants() -> None:
    checks = [check("test_s", star=True), check("test_a"), check("test_z", step=get_step(6))]
    assert [one.name for one in Recorder(FAULT, io.StringIO()).chosen(checks)] == ["test_a", "test_s"]
    variant = replace(FAULT, is_fault=False)
    assert [one.name for one in Recorder(variant, io.StringIO()).chosen(checks)] == ["test_a"]


def test_a_fault_stops_at_the_failure_that_names_it() -> None:
    recorder = Recorder(FAULT, io.StringIO())
    assert runs(recorder, "test_0", "test_a") == ["test_0", "test_a"]
    fails(recorder, "test_a", "here is the\npoint")
    assert runs(recorder, "test_b", "test_c") == []


def test_a_phrase_that_is_missing_is_looked_for_in_the_other_checks_named() -> None:
    recorder = Recorder(FAULT, io.StringIO())
    fails(recorder, "test_a", "something else")
    assert runs(recorder, "test_b", "test_c") == ["test_b"]


def test_checks_that_have_caught_nothing_are_run_after_the_failure_too() -> None:
    recorder = Recorder(FAULT, io.StringIO(), frozenset({"test_c"}))
    fails(recorder, "test_a", "the point")
    assert runs(recorder, "test_b", "test_c") == ["test_c"]


def test_a_variant_is_asked_everything_after_a_failure_too() -> None:
    recorder = Recorder(replace(FAULT, is_fault=False), io.StringIO())
    fails(recorder, "test_a", "why")
    assert runs(recorder, "test_b", "test_c") == ["test_b", "test_c"]


def test_the_record_of_a_run_is_its_verdict() -> None:
    lines = [
        ["started", "test_a", ""],
        ["passed", "test_a", ""],
        ["started", "test_b", ""],
        ["failed", "test_b", "why"],
    ]
    verdict = read_record("x", "".join(json.dumps(line) + "\n" for line in lines), "", 1.234)
    assert (verdict.passed, verdict.failed, verdict.seconds) == (["test_a"], {"test_b": "why"}, 1.23)


@pytest.mark.parametrize("ended", ["stopped after 60 s", ""])
def test_a_check_that_never_came_back_has_failed(ended: str) -> None:
    record = json.dumps(["started", "test_a", ""]) + '\n["passed", "te'
    verdict = read_record("x", record, ended, 60.0)
    assert verdict.failed == {"test_a": ended or "the process ended by itself, with status 0"}
