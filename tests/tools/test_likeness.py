"""Which failure tells which mistake: never a wrong one, and the same after a learner's own words and spaces."""

from dataclasses import replace
from pathlib import Path

import pytest

from kata.describe import describe
from kata.failure import CheckFailure
from kata.looks_like import signature_of
from kata.steps import get_step
from tests.tools.likeness import known_by, named, table_text, wrong_names
from tests.tools.specimens import FAULTS, VARIANTS, Specimen, Verdict, read_specimen

STEP = get_step(5)


def fault(name: str, **said: str) -> Specimen:
    return Specimen(FAULTS / f"step_05/{name}.py", STEP, True, ("test_a",), sentence=f"Does {name}.", **said)


def failing(*specimens: Specimen, told: str) -> dict[str, Verdict]:
    return {one.name: Verdict(one.name, [], {"test_a": "why"}, {"test_a": told}) for one in specimens}


def signature(check: str = "test_a", **parts: object) -> str:
    failure = {"call": "f(1)", "got": "2", "wanted": "3", "why": "because"} | parts
    return signature_of(check, describe(CheckFailure(**failure), ()))


def test_a_failure_of_its_own_names_a_fault() -> None:
    one, two = fault("one"), fault("two")
    verdicts = failing(one, told="1") | failing(two, told="2")
    assert named([one, two], verdicts) == [one.name, two.name] and wrong_names([one, two], verdicts) == []
    assert '"1": "Does one."' in table_text([one, two], verdicts)


def test_two_faults_that_fail_alike_name_nobody_and_are_told() -> None:
    one, two = fault("one"), fault("two")
    verdicts = failing(one, two, told="1")
    assert known_by([one, two], verdicts) == {}
    assert wrong_names([one, two], verdicts)[0] == f"{one.name} would be taken for two"


def test_two_forms_of_one_mistake_are_one() -> None:
    one, two = fault("one"), fault("two", like="one")
    verdicts = failing(one, two, told="1")
    assert named([one, two], verdicts) == [one.name, two.name] and wrong_names([one, two], verdicts) == []
    assert '"1": "Does one."' in table_text([one, two], verdicts)


def test_a_fault_whose_failure_says_too_little_names_nobody() -> None:
    one, two = fault("one", unnamed="many fail alike"), fault("two", unnamed="many fail alike")
    verdicts = failing(one, two, told="1")
    assert named([one, two], verdicts) == wrong_names([one, two], verdicts) == []


def test_a_right_solution_that_would_be_named_is_told() -> None:
    one, right = fault("one"), Specimen(VARIANTS / "step_05/right.py", STEP, False)
    assert wrong_names([one, right], failing(one, right, told="1")) == [f"{right.name} would be taken for one"]


def test_a_failure_without_a_judgement_names_nobody() -> None:
    one, two = fault("one"), fault("two")
    assert known_by([one, two], failing(one, two, told="")) == {}
    assert signature_of("test_a", describe(TypeError("no"), ())) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"got": "<A object at 0x7f51b731f790>"}, {"got": "<A object at 0x11111111fff0>"}),
        ({"why": "Line 14: no"}, {"why": "Line 9: no"}),
        ({"got": "in /home/me/step_05_metrics.py"}, {"got": "in C:\\me\\other.py"}),
        ({"call": "pytest body_only.py::test_a"}, {"call": "pytest step_09_server_test.py::test_a"}),
        ({"got": "1\n  line 3: assert x\n  2"}, {"got": "1\n  line 30: assert found == x\n  2"}),
        ({"got": "token 5", "varies": True}, {"got": "token 6", "varies": True}),
    ],
)
def test_what_changes_from_file_to_file_and_run_to_run_does_not_count(one: dict, other: dict) -> None:
    assert signature(**one) == signature(**other) != signature()


@pytest.mark.parametrize(
    "part", [{"call": "f(2)"}, {"got": "4"}, {"wanted": "4"}, {"why": "so"}, {"trace": ["call 1"]}, {"check": "test_b"}]
)
def test_every_part_of_a_failure_counts(part: dict) -> None:
    assert signature(**part) != signature()


def test_a_likeness_to_no_fault_or_to_a_mere_form_of_one_is_told(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tests.tools.specimens.FAULTS", tmp_path)
    folder = tmp_path / "step_05"
    folder.mkdir()
    text = '"""Wrong.\n\nCaught by: test_a\nSays: so\nLike: {}\n"""\n'
    for name, like in (("a", "nobody"), ("b", "a"), ("c", "right")):
        (folder / f"{name}.py").write_text(text.format(like), encoding="utf-8")
    (folder / "right.py").write_text(text.replace("Like: {}\n", ""), encoding="utf-8")
    assert read_specimen(folder / "c.py").mistake == "right"
    for name in ("a", "b"):
        with pytest.raises(ValueError, match="names no fault"):
            read_specimen(folder / f"{name}.py")
    assert replace(read_specimen(folder / "c.py"), like="").mistake == "c"
