"""Hints: which one comes next and that none comes twice."""

from pathlib import Path

import pytest

from kata.expected import Check
from kata.hints import Shown, next_hint
from kata.lessons import Hint
from tests.tools.throwaway import Project, right

LADDER = [Hint(1, "one", ""), Hint(2, "two", "")]
A, B, NONE = Check("test_a", "A.", hint="a"), Check("test_b", "B.", hint="b"), Check("test_c", "C.")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


def walk(failing: list[Check | None]) -> list[str]:
    """What comes, call after call: `*` the last, `!` they begin again."""
    shown, told = Shown(), []
    for check in failing:
        found = next_hint(LADDER, check, shown)
        name = found.hint.name[-1] if isinstance(found.hint, Check) else str(found.hint.rung)
        told.append("!" * found.is_again + name + "*" * found.is_last)
        shown = found.shown
    return told


def test_the_failing_checks_hint_comes_first_and_then_the_ladder():
    assert walk([A, A, A]) == ["a", "1", "2*"]
    assert walk([None, None]) == ["1", "2*"]
    assert walk([NONE, NONE]) == ["1", "2*"]


def test_another_check_that_fails_has_its_hint_next():
    assert walk([A, B, A, B]) == ["a", "b", "1", "2*"]
    assert walk([A, A, A, B, A]) == ["a", "1", "2*", "b*", "!a"]


def test_after_the_last_they_begin_again():
    assert walk([A] * 7) == ["a", "1", "2*", "!a", "1", "2*", "!a"]
    assert walk([None] * 3) == ["1", "2*", "!1"]
    assert next_hint([], None, Shown()) is None and next_hint([], NONE, Shown()) is None
    assert next_hint([], A, Shown()).is_last


def test_the_ladder_is_walked_and_remembered(project):
    assert "hint 1 of 2: what is the sum?" in project.kata("hint", "2")
    assert "Think of it." in project.kata("hint", "3")
    told = project.kata("hint", "2")
    assert "hint 2 of 2: the idea" in told and "that was the last; python -m kata solution 2 --yes shows" in told
    told = project.kata("hint", "2")
    assert told.status == 0 and "you have seen the hints of step 2; they begin again" in told and "hint 1 of 2" in told
    assert project.progress()["hints"] == {"2": 1, "3": 1}
    (project.exercises / "step_05_metrics.md").unlink()
    assert "has no hints" in project.kata("hint", "5")


def test_after_a_pass_the_solution_needs_no_yes(project):
    project.pass_steps(1)
    project.kata("hint", "1")
    assert "that was the last; python -m kata solution 1 shows" in project.kata("hint", "1")


def test_the_check_that_failed_has_a_hint_of_its_own(project):
    project.write(1, right(1).replace("1 + x", "7"))
    project.kata("check", "1")
    told = project.kata("hint", "1")
    assert "a hint for the check that failed: 1 is added to the number." in told
    assert "what do you get if you count on from 1, one further? next python -m kata hint 1" in told
    assert "hint 1 of 2" in project.kata("hint", "1")
    project.write(1, right(1).replace("1 + x", "2"))
    told = project.kata("hint", "1")
    assert "hint 2 of 2" in told and "or python -m kata check 1 first: your file changed since" in told
    project.kata("check", "1")
    told = project.kata("hint", "1")
    assert "Negative numbers are numbers too. where does the sign go?" in told and "that was the last" in told
    assert project.progress()["check_hints"] == {"1": ["test_adds_the_number", "test_adds_to_negative_numbers"]}


def test_what_no_check_judged_has_no_hint_of_a_check(project):
    project.kata("check", "1")
    assert "hint 1 of 2" in project.kata("hint", "1")
    project.write(2, "def step_2(x:\n")
    project.kata("check", "2", "--force")
    assert "hint 1 of 2" in project.kata("hint", "2")
    assert project.progress()["failed"] == {}


def test_a_pass_forgets_the_check_that_failed(project):
    project.write(1, right(1).replace("1 + x", "7"))
    project.kata("check", "1")
    assert project.progress()["failed"]["1"]["check"] == "test_adds_the_number"
    project.solve(1)
    project.kata("check", "1")
    assert project.progress()["failed"] == {} and "hint 1 of 2" in project.kata("hint", "1")


def test_a_verdict_stands_where_nothing_can_be_remembered(project):
    project.write(1, right(1).replace("1 + x", "7"))
    project.state.write_text("no folder")
    told = project.kata("check", "1")
    assert told.status == 1 and "not saved" not in told and "why You return something else" in told
    told = project.kata("hint", "1")
    assert told.status == 1 and "hint 1 of 2" in told and "progress is not saved" in told
