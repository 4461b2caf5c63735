"""A newer kata: the learner's files stay as they are, and what had passed is checked again where its checks changed."""

import subprocess
from pathlib import Path

import pytest

from kata.fingerprint import files_behind
from kata.steps import REFERENCE, STEPS, get_step
from tests.tools.throwaway import Project, right

NEW_CHECK = '''

def test_adds_to_zero(step):
    """Zero is a number too."""
    got = step.step_{n}(0)
    expect(got == {wanted}, call="step_{n}(0)", got=repr(got), wanted="{wanted}", why="Nothing and {n} is {n}.")
'''


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "kata")


def checks_of(project: Project, number: int):
    return project.root / "tests" / get_step(number).test_file.name


def add_check(project: Project, number: int, wanted: int) -> None:
    checks = checks_of(project, number)
    checks.write_text(checks.read_text() + NEW_CHECK.format(n=number, wanted=wanted))


def test_a_pass_is_looked_at_again_where_its_checks_changed(project):
    project.pass_steps(1, 2)
    add_check(project, 2, wanted=2)
    project.solve(3)
    told = project.kata("progress")
    assert "1 passed" in told and "2 recheck" in told and "recheck: passed, and the checks changed since" in told
    told = project.kata("check", "3")
    assert told.status == 0 and "the checks of step 2 changed since it passed: it is checked first" in told
    assert "step 2 passed 3 of 3 checks" in told and "step 1" not in told and "step 3 passed" in told
    assert "recheck" not in project.kata("progress")


def test_what_newly_fails_is_told_with_its_reason(project):
    project.pass_steps(1, 2)
    add_check(project, 2, wanted=7)
    project.solve(3)
    told = project.kata("check", "3")
    assert told.status == 1 and "step 3 passed" not in told
    assert "as it was when step 2 passed; of its checks, which changed since, this one fails now:" in told
    assert "FAILED Zero is a number too." in told and "why Nothing and 2 is 2." in told and "hint 2" in told
    assert "2 recheck" in project.kata("progress") and project.passed() == [1, 2]
    project.write(2, right(2).replace("2 + x", "2 + x if x else 7"))
    assert "step 2 passed 3 of 3" in project.kata("check", "2")


def test_check_alone_looks_at_all_whose_checks_changed(project):
    project.pass_steps(*range(1, 10))
    for number in (2, 5, 9):
        add_check(project, number, wanted=number)
    told = project.kata("check")
    assert told.status == 0 and "every step is passed" in told
    assert [n for n in range(1, 10) if f"step {n} passed 3 of 3" in told] == [2, 5, 9]
    assert "recheck" not in project.kata("progress")


def test_words_and_what_is_no_part_of_a_verdict_make_nothing_stale(project):
    project.pass_steps(1)
    checks = checks_of(project, 1)
    text = checks.read_text().replace("1 is added to the number.", "One is added.\n\n    Hint: count.\n    Again.")
    text = text.replace("    got = step", "    # a comment\n\n    got = step", 1).replace("it was run", "it ran")
    checks.write_bytes(text.replace("\n", "\r\n").encode())
    assert "1 passed" in project.kata("progress")


def test_the_doubles_that_a_verdict_rests_on_belong_to_the_checks(project):
    doubles = project.root / "tests" / "doubles" / "sums.py"
    doubles.write_text("def wanted():\n    return 2\n")
    checks = checks_of(project, 1)
    checks.write_text("from tests.doubles import clock, sums\n" + checks.read_text().replace("1 + 1", "sums.wanted()"))
    project.solve(1)
    assert project.kata("check", "1").status == 0
    (doubles.parent / "clock.py").write_text("X = 1\n")  # imported, and not used
    assert "1 passed" in project.kata("progress")
    doubles.write_text("def wanted():\n    return 3\n")
    assert "1 recheck" in project.kata("progress")


def test_a_pass_of_an_older_kata_is_checked_again(project):
    project.pass_steps(1)
    file = project.state / "progress.json"
    checks = project.progress()["passed"]["1"].pop("checks")
    file.write_text(file.read_text().replace(f'"checks": "{checks}"', '"checks": ""'))
    assert "1 recheck" in project.kata("progress")
    assert project.kata("check").status == 1 and project.progress()["passed"]["1"]["checks"] == checks


def test_a_jump_leaves_a_step_to_the_learner_whose_checks_changed(project):
    project.pass_steps(1, 2)
    add_check(project, 2, wanted=2)
    assert "steps 1, 2 passed, and stay yours" in project.kata("jump", "3")


def test_each_step_rests_on_its_checks_and_never_on_a_solution():
    for step in STEPS:
        files = files_behind(step)
        assert step.test_file in files and not [file for file in files if file.is_relative_to(REFERENCE)]
    behind_4 = {file.name for file in files_behind(get_step(4))}
    assert {"decode_calls.py", "loop_ends.py", "scripted_model.py", "limits.py"} <= behind_4
    assert not behind_4 & {"device_tier.py", "real_verdicts.py", "worker.py"}
    assert {"worker.py", "server_errors.py"} <= {file.name for file in files_behind(get_step(8))}


IDENTITY = ("-c", "user.name=learner", "-c", "user.email=learner@example.invalid", "-c", "commit.gpgsign=false")


class Clones:
    """The kata's own repository, and a learner's clone of it."""

    def __init__(self, folder: Path) -> None:
        self.origin, self.folder = Project(folder / "origin"), folder
        (self.origin.root / ".gitignore").write_text("__pycache__/\n.kata/\n")
        self.git(self.origin, "init", "-q", "-b", "main")
        self.commit(self.origin, "the kata")
        subprocess.run(["git", "clone", "-q", str(self.origin.root), str(folder / "mine")], check=True)
        self.mine = Project(folder / "mine", is_there=True)
        for name, value in (("user.name", "learner"), ("user.email", "learner@example.invalid")):
            self.git(self.mine, "config", name, value)

    def git(self, project: Project, *words: str) -> str:
        command = ["git", "-C", str(project.root), *IDENTITY, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, project: Project, message: str) -> None:
        self.git(project, "add", "-A")
        self.git(project, "commit", "-q", "-m", message)

    def change_stub(self, number: int) -> None:
        """A newer kata: another docstring in the reference and its stub, and one check more."""
        for file in (get_step(number).file_in(self.origin.root / "reference"), self.origin.file(number)):
            file.write_text(file.read_text().replace(f'"""x + {number}."""', '"""Newer words."""'))
        add_check(self.origin, number, wanted=number)
        self.commit(self.origin, "newer")


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def test_an_update_leaves_what_the_learner_wrote_word_for_word(clones):
    mine = clones.mine
    mine.pass_steps(1, 2)
    mine.write(3, "# half of it\r\n")
    for number in (2, 3, 4):
        clones.change_stub(number)
    told = mine.kata("update")
    assert told.status == 0 and "newer by 3 commits; your files are as they were" in told, told.text
    assert (mine.file(2).read_text(), mine.file(3).read_bytes()) == (right(2), b"# half of it\r\n")
    assert "Newer words" in mine.file(4).read_text()
    assert "step 2 has another one now" in told and "step 3 has" in told and "step 4 has" not in told
    assert "1 passed" in told and "2 recheck" in told and clones.git(mine, "stash", "list") == ""
    assert "nothing newer" in mine.kata("update")


def test_what_the_learner_has_committed_stays_too(clones):
    mine = clones.mine
    mine.pass_steps(2)
    clones.commit(mine, "my step 2")
    clones.change_stub(2)
    assert mine.kata("update").status == 0 and mine.file(2).read_text() == right(2)
    assert "Newer words" in (mine.root / "reference" / mine.file(2).name).read_text()


def test_a_merge_that_git_refuses_changes_nothing(clones):
    mine = clones.mine
    mine.pass_steps(2)
    checks = checks_of(mine, 2)
    checks.write_text("# my own checks\n")
    clones.change_stub(2)
    before = clones.git(mine, "rev-parse", "HEAD")
    told = mine.kata("update")
    assert told.status == 1 and "not updated, and your files are as they were; git says: error:" in told
    assert mine.file(2).read_text() == right(2) and checks.read_text() == "# my own checks\n"
    assert clones.git(mine, "rev-parse", "HEAD") == before and clones.git(mine, "stash", "list") == ""


def test_what_stands_in_the_way_is_told_in_a_line(clones, tmp_path):
    mine = clones.mine
    mine.solve(2)
    clones.git(mine, "add", "-A")
    assert "changes are staged" in mine.kata("update")
    clones.git(mine, "reset", "-q")
    clones.git(mine, "branch", "--unset-upstream")
    told = mine.kata("update")
    assert told.status == 2 and "follows no other" in told and mine.file(2).read_text() == right(2)
    clones.git(mine, "branch", "-u", "origin/main")
    clones.git(mine, "remote", "set-url", "origin", str(tmp_path / "gone"))
    assert "not updated" in mine.kata("update")


def test_without_git_the_way_by_hand_is_told(project):
    told = project.kata("update", GIT_CEILING_DIRECTORIES=str(project.root.parent))
    assert told.status == 2 and "is no git checkout" in told and ".kata over" in told
    assert "is no git checkout" in project.kata("update", PATH="/nowhere")


def test_a_conflict_that_git_has_left_in_a_file_is_told_as_such(project):
    both = f"<<<<<<< HEAD\n{right(1)}=======\nthe stub\n>>>>>>> newer\n"
    project.write(1, "# mine\n" + both)
    told = project.kata("check", "1")
    assert told.status == 3 and "git has left a conflict here" in told and "line 2" in told
