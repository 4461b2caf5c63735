"""How verbs are used: with and without a number, wrongly, through make, and what a jump does."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.throwaway import Project, right

PASSED, WRONG_USE = 0, 2


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


@pytest.mark.parametrize("words", [["check", "0"], ["check-10"], ["check", "x"], ["check", "-1"], ["chek"], ["jump"]])
def test_wrong_use_is_told_as_such(project, words):
    told = project.kata(*words)
    assert told.status == WRONG_USE and "usage:" in told.text and "Traceback" not in told.text


@pytest.mark.parametrize("words", [("check", "0"), ("check-10",), ("check", "x"), ("reset", "-1")])
def test_a_step_that_there_is_not_is_told_first(project, words):
    number = words[-1].removeprefix("check-")
    assert project.kata(*words).text.startswith(f"there is no step {number}: the steps are 1 to 9\n")


@pytest.mark.parametrize("verb", ["reset", "solution", "jump"])
def test_a_number_that_is_missing_is_asked_for(project, verb):
    told = project.kata(verb)
    assert told.status == WRONG_USE and "usage:" in told
    assert told.text.startswith(f"{verb} needs the number of a step, 1 to 9, as in `python -m kata {verb} 3`\n")


def test_a_hint_without_a_number_is_for_the_step_that_is_worked_on(project):
    project.pass_steps(1, 2)
    assert "step 3, hint 1 of 2" in project.kata("hint")
    assert "step 3, hint 2 of 2" in project.kata("hint")
    project.pass_steps(*range(3, 10))
    assert "every step is passed" in project.kata("hint")


def test_jump_starts_at_a_step_on_the_references_earlier_ones(project):
    project.write(1, "my own notes")
    told = project.kata("jump", "3")
    assert told.status == PASSED and "step 3 is open" in told
    assert "1 reference" in project.kata("progress")
    assert project.file(1).read_text() == "my own notes"
    project.solve(3)
    told = project.kata("check")
    assert told.status == PASSED and "the reference stands in for steps 1, 2" in told and "step 4 is open" in told
    project.solve(1)
    assert "step 1 passed" in project.kata("check", "1")
    assert "stands in for step 2" in project.kata("check", "3")
    project.kata("jump", "1")
    assert "step 2 is open" in project.kata("progress")


def test_a_jump_leaves_passed_steps_to_the_learner(project):
    project.pass_steps(1, 2, 3)
    project.write(2, "def step_2(x:\n")
    told = project.kata("jump", "4")
    assert "the reference stands in for step 2 until you pass it; steps 1, 3 passed, and stay yours." in told
    assert "undo python -m kata jump 1" in told and "2 reference" in project.kata("progress")
    project.pass_steps(2)
    told = project.kata("jump", "4")
    assert "the reference stands in for no step; steps 1, 2, 3 passed, and stay yours." in told
    project.write(3, right(3) + "\n")
    assert "3 changed" in project.kata("progress")
    project.solve(4)
    told = project.kata("check", "4")
    assert told.status == PASSED and "step 3 changed since it passed" in told and "stands in" not in told
    told = project.kata("jump", "1")
    assert "the reference stands in for no step. No file" in told and "undo" not in told


def test_make_has_the_same_verbs_and_prints_the_true_status(project):
    make = shutil.which("make")
    if make is None:
        pytest.skip("there is no make here")

    def run(*words: str) -> subprocess.CompletedProcess:
        environment = {"PATH": "/usr/bin:/bin", "KATA_PYTHON": sys.executable, "COLUMNS": "60"}
        command = [make, f"PYTHON={sys.executable}", *words]
        return subprocess.run(command, cwd=project.root, env=environment, capture_output=True, text=True)

    project.write(1, "def step_1(x:\n")
    ran = run("check-1")
    assert ran.returncode == 2 and "Error 3" in ran.stderr and "make hint-1" in ran.stdout
    project.solve(1, 3)
    assert run("check-1").returncode == 0
    assert "Error 2" in run("check-3").stderr
    assert run("check-3", "FORCE=1", "ALL=1").returncode == 0
    assert "make check-N" in run().stdout
    assert "Error 2" in run("check-10").stderr
    assert "step 2, hint 1" in run("hint").stdout
    for verb in ("reset", "solution", "jump"):
        ran = run(verb)
        assert f"as in `make {verb}-3`" in ran.stderr and "usage:" in ran.stderr and "Error 2" in ran.stderr
    project.solve(2)
    assert run("stubs").returncode == 2 and "make stubs YES=1" in run("stubs").stdout
    assert run("stubs", "YES=1").returncode == 0


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
@pytest.mark.parametrize("words", [("check", "2"), ("check", "N=2"), ("2", "check")])
def test_a_number_beside_the_verb_is_not_passed_over(project, words):
    run = subprocess.run(["make", *words], cwd=project.root, env=project.environment(), capture_output=True, text=True)
    assert run.returncode == WRONG_USE and "the number belongs to the verb: make check-2" in run.stderr
    assert run.stdout == ""
