"""Reset and restore: whatever is replaced is kept, listed, and brought back by any name that is clear."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kata import backups
from kata.backups import NotOne, all_backups, as_backup, find
from kata.steps import get_step
from tests.tools.throwaway import Project, right

PASSED, WRONG_USE = 0, 2


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


def kept(project: Project) -> dict[str, str]:
    """The backups' names to what they hold."""
    return {backup.name: backup.file.read_text() for backup in all_backups(project.state / "backups")}


def test_what_was_reset_comes_back_and_what_was_in_its_place_is_kept(project):
    project.pass_steps(1, 2)
    told = project.kata("reset", "2")
    assert "undo python -m kata restore 2" in told
    project.write(2, "# a new start\n")
    told = project.kata("restore", "2")
    assert told.status == PASSED and "is your file of" in told and "which was in its place" in told
    assert project.file(2).read_text() == right(2) and "2 passed" in project.kata("progress")
    assert sorted(kept(project).values()) == sorted([right(2), "# a new start\n"])


def test_a_stub_in_its_place_is_not_kept(project):
    project.solve(1)
    project.kata("reset", "1")
    assert project.kata("restore", "1").status == PASSED and list(kept(project).values()) == [right(1)]
    assert "is as it was" in project.kata("restore", "1")
    project.file(1).unlink()
    assert project.kata("restore", "1").status == PASSED and project.file(1).read_text() == right(1)


def test_reset_all_keeps_every_file_and_names_the_stubs(project):
    project.solve(1, 2)
    project.write(4, b"mine\r\n\xe4")
    project.kata("hint", "2")
    told = project.kata("reset-all")
    assert told.status == PASSED and "stubs already: steps 3, 5, 6, 7, 8, 9" in told and "kata backups" in told
    assert project.kata("stubs", "--check").status == PASSED and len(all_of(project)) == 3
    assert "every step has its stub already" in project.kata("reset", "all")
    assert "hint 1 of 2" in project.kata("hint", "2")
    assert project.kata("restore", "4").status == PASSED and project.file(4).read_bytes() == b"mine\r\n\xe4"


def all_of(project: Project) -> list[str]:
    return [backup.name for backup in all_backups(project.state / "backups")]


def test_backups_are_listed_and_every_name_in_the_list_works(project):
    assert "there are no backups yet" in project.kata("backups")
    for text in ("one\n", "two\n", "three\n"):
        project.write(3, text)
        project.kata("reset", "3")
    (project.state / "backups" / "step_03_mine.py").write_text("put there by hand")
    told = project.kata("backups")
    names = all_of(project)
    assert told.status == PASSED and len(names) == 3 and all(name in told.text for name in names)
    assert "step_03_mine" not in told and f"restore {names[-1]}" in told
    for name, text in zip(names, ("one\n", "two\n", "three\n"), strict=True):
        assert project.kata("restore", name).status == PASSED and project.file(3).read_text() == text
    for columns in ("40", "60"):
        lines = project.kata("backups", COLUMNS=columns).text.splitlines()
        assert [line for line in lines if len(line) > int(columns)] == []


def test_a_name_that_is_not_clear_is_told_in_a_line_with_the_nearest(project):
    assert "there are none yet" in project.kata("restore", "3")
    for number in (1, 3):
        project.write(number, f"{number}\n")
        project.kata("reset", str(number))
    told = project.kata("restore", "step_0")
    assert told.status == WRONG_USE and "'step_0' could be 2 backups: " in told
    told = project.kata("restore", "step_03_generate_uncached-1999")
    nearest = next(name for name in all_of(project) if name.startswith("3"))
    assert told.status == WRONG_USE and "there is no backup 'step_03" in told and f"the nearest: {nearest}" in told
    assert project.kata("restore", "4").status == WRONG_USE
    told = project.kata("restore")
    assert told.status == WRONG_USE and "needs to know which backup" in told and nearest in told
    assert project.kata("restore", "../../pyproject.toml").status == WRONG_USE


def test_names_are_found_by_number_by_file_and_by_any_part_that_only_one_has(tmp_path):
    moment = "2026-01-31-180000"
    for name in (f"04_generate_cached-{moment}", f"04_generate_cached-{moment}-2", "05_metrics-2026-02-01-090000"):
        (tmp_path / f"step_{name}.py").write_text("")
    found = all_backups(tmp_path)
    old, new, other = [backup.name for backup in found]
    assert (old, new, other) == ("4-2026-01-31-180000", "4-2026-01-31-180000-2", "5-2026-02-01-090000")
    assert found[1].when == "2026-01-31 18:00"
    wanted = {"4": new, old: old, ".kata/backups/step_04_generate_cached-2026-01-31-180000.py": old, "METRICS": other}
    assert {part: find(part, found).name for part in wanted} == wanted
    for part in ("4-2026", "", "9", "nothing like it"):
        with pytest.raises(NotOne):
            find(part, found)


def test_without_a_place_for_what_is_there_nothing_is_brought_back(tmp_path, monkeypatch):
    step = get_step(1)
    mine = step.file_in(tmp_path)
    mine.write_text("mine\n")
    kept = tmp_path / "step_01_chat_template-2026-01-31-180000.py"
    kept.write_text("as it was\n")

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(backups, "write_new", full)
    for replace, of in ((backups.restore, as_backup(kept)), (backups.reset, step)):
        with pytest.raises(OSError, match="no space"):
            replace(of, tmp_path, tmp_path)
        assert mine.read_text() == "mine\n"


def test_make_has_them_too(project):
    make = shutil.which("make")
    if make is None:
        pytest.skip("there is no make here")

    def run(*words: str) -> str:
        environment = {"PATH": "/usr/bin:/bin", "KATA_PYTHON": sys.executable, "COLUMNS": "80"}
        command = [make, f"PYTHON={sys.executable}", *words]
        return subprocess.run(command, cwd=project.root, env=environment, capture_output=True, text=True).stdout

    project.solve(2, 3)
    assert "step 2 is the stub again" in run("reset-all")
    newest = all_of(project)[-1]
    assert f"make restore NAME={newest}" in run("backups") and "make restore-3" in run("backups")
    assert "is your file of" in run("restore", f"NAME={newest}") and "is your file of" in run("restore-2")
    assert project.file(2).read_text() == right(2) and project.file(3).read_text() == right(3)
