"""Hints: which one comes next and that none comes twice, and what the checks' and the lessons' own must be like."""

import re
from pathlib import Path

import pytest

from kata.expected import Check, checks_in
from kata.hints import Shown, next_hint
from kata.lessons import Hint, hints_of
from kata.steps import REFERENCE, STEPS, TESTS, Step
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


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.module)
def test_a_ladder_has_three_rungs_or_more_in_order(step: Step):
    rungs = hints_of(step)
    assert [hint.rung for hint in rungs] == list(range(1, len(rungs) + 1)) and len(rungs) >= 3
    assert all(hint.title and hint.text.strip() for hint in rungs)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.module)
def test_every_required_check_has_a_hint_of_its_own(step: Step):
    checks = checks_in(step.test_file)
    hints = [check.hint for check in checks if check.hint]
    assert [check.name for check in checks if not check.hint and not check.stretch] == []
    assert len(set(hints)) == len(hints)
    assert [hint for hint in hints if len(hint) > 330] == []


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.module)
def test_no_hint_gives_the_solution_away(step: Step):
    lines = solution_lines(step.file_in(REFERENCE).read_text(encoding="utf-8"))
    for check in checks_in(step.test_file):
        assert [line for line in lines if line in squeezed(check.hint)] == [], check.name
    ladder = squeezed("".join(hint.text for hint in hints_of(step)))  # its last rung has the shape of the code
    given_away = [line for line in lines if line in ladder]
    assert 3 * len(given_away) < len(lines), given_away


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.module)
def test_no_hint_says_again_what_the_failure_has_said(step: Step, said_elsewhere: str):
    text = squeezed(step.test_file.read_text(encoding="utf-8"))
    for check in checks_in(step.test_file):
        for part in re.split(r"[.?!:;,] ", check.hint):
            is_twice = text.count(squeezed(part)) > 1 or squeezed(part) in said_elsewhere
            assert len(part) < 40 or not is_twice, (check.name, part)


@pytest.fixture(scope="module")
def said_elsewhere() -> str:
    """The text of all that judges besides the files of checks."""
    files = [file for folder in ("doubles", "duel") for file in (TESTS / folder).glob("*.py")]
    return squeezed("".join(file.read_text(encoding="utf-8") for file in files))


def solution_lines(source: str) -> list[str]:
    """The lines between the markers, without those that are too short to tell anything."""
    regions = re.findall(r"# BEGIN SOLUTION[^\n]*\n(.*?)# END SOLUTION", source, re.DOTALL)
    lines = [squeezed(line) for region in regions for line in region.splitlines()]
    return [line for line in lines if len(line) > 12 and not line.startswith("def")]


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
