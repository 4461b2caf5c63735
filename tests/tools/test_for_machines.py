"""`--json` and `--junit` on check and progress: whole, stable, nothing else on stdout; exit codes stay as they are."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kata.source import digest_of
from tests.tools.throwaway import Project, right

PASSED, FAILED, LOCKED, CANNOT_LOAD = 0, 1, 2, 3
NAMES = ["test_adds_the_number", "test_adds_to_negative_numbers", "test_has_a_star"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


def said(project: Project, *words: str) -> tuple[int, dict]:
    """The exit status, and stdout, which holds JSON and nothing else."""
    command = [sys.executable, "-m", "kata", *words, "--json"]
    run = subprocess.run(command, cwd=project.root, env=project.environment(), capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout)


def test_a_pass_as_json(project):
    project.write(1, "print('hello')\n" + right(1))
    status, data = said(project, "check", "1")
    assert status == data["exit_status"] == PASSED and (data["schema_version"], data["outcome"]) == (1, "passed")
    (step,) = data["steps"]
    assert (step["step"], step["outcome"], step["sha256"]) == (1, "passed", digest_of(project.file(1)))
    assert [check["name"] for check in step["checks"]] == NAMES
    assert {check["outcome"] for check in step["checks"]} == {"passed"} and all(
        c["seconds"] > 0 for c in step["checks"]
    )
    assert (step["passed"], step["required"], step["stars"], step["stars_to_have"]) == (2, 2, 1, 1)
    assert step["file"] == "exercises/step_01_chat_template.py" and data["versions"]["python"].startswith("3.")
    assert project.passed() == [1]


def test_a_failure_as_json_says_what_the_report_says(project):
    project.write(1, right(1).replace("1 + x", "x"))
    status, data = said(project, "check", "1")
    first, *others = data["steps"][0]["checks"]
    assert status == FAILED and data["outcome"] == "failed" and first["message"].startswith("You return something else")
    assert (first["failure"]["got"], first["failure"]["wanted"]) == ("1", "2")
    assert [check["outcome"] for check in others] == ["not_run", "not_run"]
    _, data = said(project, "check", "1", "-v")
    assert [check["outcome"] for check in data["steps"][0]["checks"]] == ["failed", "failed", "passed"]


@pytest.mark.parametrize(
    ("source", "outcome", "status"),
    [
        ("def step_1(x):\n    raise NotImplementedError('TODO 1: add')\n", "not_started", FAILED),
        ("def (", "cannot_load", CANNOT_LOAD),
        ("import sys; sys.exit(0)\n", "cannot_load", CANNOT_LOAD),
        (
            "def step_1(x):\n    return '\ud800\x00'\n".replace("\x00", "\\x00").replace("\ud800", "\\ud800"),
            "failed",
            FAILED,
        ),
    ],
)
def test_each_outcome_has_its_word_and_its_exit_code(project, source, outcome, status):
    project.write(1, source)
    assert (status, outcome) == (lambda got: (got[0], got[1]["outcome"]))(said(project, "check", "1"))


def test_locked_and_nothing_to_check(project):
    status, data = said(project, "check", "3")
    assert status == LOCKED and (data["outcome"], data["locked_by"], data["steps"]) == ("locked", 1, [])
    project.pass_steps(*range(1, 10))
    status, data = said(project, "check")
    assert status == PASSED and (data["outcome"], data["steps"]) == ("nothing_to_check", [])


def test_steps_that_are_checked_again_come_first(project):
    project.pass_steps(1)
    project.write(1, "# changed\n" + right(1))
    project.solve(2)
    _, data = said(project, "check", "2")
    assert [(step["step"], step["outcome"]) for step in data["steps"]] == [(1, "passed"), (2, "passed")]
    assert data["steps"][1]["lent_by_the_reference"] == []
    _, data = said(project, "check", "4", "--force")
    assert data["steps"][0]["lent_by_the_reference"] == [3]


def test_the_same_files_give_the_same_json(project):
    project.write(1, right(1).replace("1 + x", "x"))
    first, second = (said(project, "check", "1", "-v")[1] for _ in range(2))
    assert _without_seconds(first) == _without_seconds(second)
    assert said(project, "progress") == said(project, "progress")


def _without_seconds(data: dict) -> str:
    return re.sub(r'"seconds": [\d.e-]+', "", json.dumps(data))


def test_a_whole_submission(project, tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / project.file(1).name).write_text(right(1))
    status, data = said(project, "check", "--impl", str(folder))
    assert status == CANNOT_LOAD and [step["outcome"] for step in data["steps"]] == ["passed"] + ["cannot_load"] * 8


def test_progress_as_json(project):
    project.pass_steps(1, 2)
    project.write(2, "# changed\n" + right(2))
    status, data = said(project, "progress")
    assert status == PASSED and (data["passed"], data["next"], data["schema_version"]) == (1, 2, 1)
    assert [step["state"] for step in data["steps"]][:4] == ["passed", "changed", "open", "locked"]
    assert (data["steps"][0]["stars"], data["steps"][0]["sha256"]) == (1, digest_of(project.file(1)))


def test_a_damaged_progress_is_told_in_the_json(project):
    project.pass_steps(1)
    (project.state / "progress.json").write_text("{")
    assert "was damaged" in said(project, "progress")[1]["message"]


def test_a_check_as_junit(project, tmp_path):
    file = tmp_path / "new" / "report.xml"
    project.write(1, right(1).replace("1 + x", "'\x1b[31m' if x > 0 else 0").replace("return 1\n", "return 2\n"))
    assert project.kata("check", "1", "-v", "--junit", str(file)).status == FAILED
    suite = ElementTree.parse(file).getroot().find("testsuite")
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "1", "0", "1"]
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert list(cases) == NAMES and cases[NAMES[0]].get("classname") == "step_01_chat_template"
    assert "got: '\\x1b[31m'" in cases[NAMES[0]].find("failure").text
    assert cases[NAMES[1]].find("failure") is None
    assert cases[NAMES[2]].find("skipped").get("message") == "no star: No star."
    told = {each.get("name"): each.get("value") for each in suite.find("properties")}
    assert told["sha256"] == digest_of(project.file(1)) and told["outcome"] == "failed"


def test_progress_as_junit(project, tmp_path):
    project.pass_steps(1)
    file = tmp_path / "report.xml"
    assert project.kata("progress", "--junit", str(file)).status == PASSED
    suite = ElementTree.parse(file).getroot().find("testsuite")
    states = [skipped.get("message") for skipped in suite.iterfind("testcase/skipped")]
    assert (suite.get("tests"), states) == ("9", ["open", *["locked"] * 7])


def test_a_report_that_cannot_be_written_is_told(project, tmp_path):
    project.solve(1)
    (tmp_path / "file").touch()
    told = project.kata("check", "1", "--junit", str(tmp_path / "file" / "report.xml"))
    assert told.status == LOCKED and "report.xml cannot be written" in told
