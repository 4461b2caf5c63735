"""A learner's failure that is known is told: in the report and in the JSON, whatever the learner's own words are."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kata import as_json, report
from kata.check import Result, Sources, check_step
from kata.look import Look
from kata.looks_like import TABLE, known, looks_like
from kata.solution import Solution
from kata.standby import Standby
from kata.steps import REFERENCE, STEPS, Step
from kata.stubs import stub_of
from kata.verdict import Failure, Kind, Outcome
from tests.tools.respelled import respelled
from tests.tools.specimens import FAULTS, read_specimen

SAMPLE = (
    "step_01/thinking_off_as_text",
    "step_02/multiplies_by_temperature",
    "step_03/mask_never_grows",
    "step_04/cache_of_the_first_call",
    "step_05/tpot_over_all_tokens",
    "step_06/never_flushed",
    "step_07/one_bound_missing",
    "step_08/text_stripped",
    "step_09/or_true",
)


@pytest.fixture(scope="module")
def standby() -> Iterator[Standby]:
    """Everything is imported once, as in `make watch`."""
    standby = Standby(STEPS[0], at_once=1)
    yield standby
    standby.close()


def sources_with(file: Path, step: Step) -> Sources:
    return {**Solution.in_folder(REFERENCE).sources, step.number: file}


def checked(file: Path, step: Step, standby: Standby) -> Result:
    while not standby.is_ready():
        time.sleep(0.02)  # and lets others work
    return check_step(step, sources_with(file, step), 60.0, start=standby.start)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", SAMPLE)
def test_a_known_mistake_is_told_whatever_its_words_are(name: str, tmp_path: Path, standby: Standby) -> None:
    fault = read_specimen(FAULTS / f"{name}.py")
    file = tmp_path / fault.step.file_in(REFERENCE).name
    file.write_text(respelled(fault.path.read_text(encoding="utf-8")), encoding="utf-8")
    result = checked(file, fault.step, standby)
    told = " ".join(" ".join(report.failure_report(result, Look(width=60))).split())
    assert f"this looks like: {fault.sentence}" in told
    assert as_json.step_data(result)["looks_like"] == fault.sentence


@pytest.mark.parametrize("step", STEPS, ids=[step.module for step in STEPS])
def test_a_stub_is_like_nothing(step: Step, tmp_path: Path) -> None:
    file = tmp_path / step.file_in(REFERENCE).name
    file.write_text(stub_of(step), encoding="utf-8")
    result = check_step(step, sources_with(file, step), 60.0)
    assert result.verdict.kind is Kind.NOT_STARTED
    assert "looks like" not in "\n".join(report.failure_report(result, Look()))


def test_only_the_first_failure_is_told_and_only_where_all_before_it_ran(tmp_path: Path, standby: Standby) -> None:
    fault = read_specimen(FAULTS / "step_05/tpot_over_all_tokens.py")
    result = checked(fault.path, fault.step, standby)
    outcome, outcomes = result.verdict.first, list(result.verdict.outcomes)
    assert looks_like(outcome, fault.step, result.verdict) == fault.sentence
    for other in ("not run", "failed"):
        outcomes[0] = Outcome(outcomes[0].check, other, Failure("error", "") if other == "failed" else None)
        assert looks_like(outcome, fault.step, replace(result.verdict, outcomes=tuple(outcomes))) == ""


def test_a_table_that_is_not_there_or_damaged_names_nothing(tmp_path: Path) -> None:
    assert known(tmp_path / "none.json") == {}
    (tmp_path / "half.json").write_text('{"steps": ', encoding="utf-8")
    assert known(tmp_path / "half.json") == {}
    assert known(TABLE).keys() == {str(step.number) for step in STEPS}
