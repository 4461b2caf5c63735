"""What is remembered, where it is kept, and that nothing of a learner's is lost: progress, hints, jumps, backups."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from kata import files, progress
from kata.path import State, blocking, next_step, sources_for, survey
from kata.progress import Failed, Pass, Progress
from kata.steps import EXERCISES, REFERENCE
from tests.tools.throwaway import Project, right


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "kata")


def test_progress_is_read_as_it_was_written(tmp_path):
    file = tmp_path / "state" / "progress.json"
    assert progress.load(file) == (Progress(), "")

    def change(standing: Progress) -> None:
        standing.passed[3] = Pass("abc", 2, "checks")
        standing.hints[4] = 1
        standing.base = 2
        standing.failed[4] = Failed("def", "test_a")
        standing.check_hints[4] = ["test_a"]

    assert progress.update(change, file) == ""
    wanted = Progress({3: Pass("abc", 2, "checks")}, {4: 1}, 2, False, {4: Failed("def", "test_a")}, {4: ["test_a"]})
    assert progress.load(file) == (wanted, "")
    assert [path.name for path in file.parent.iterdir()] == ["progress.json"]


def test_progress_of_an_older_kata_is_read_as_it_is(tmp_path):
    file = tmp_path / "progress.json"
    passed = b'{"3": {"digest": "abc", "stars": 2}}'
    file.write_bytes(b'{"version": 1, "passed": %b, "hints": {"4": 1}, "base": 1, "find_again": false}' % passed)
    assert progress.load(file) == (Progress({3: Pass("abc", 2)}, {4: 1}), "")


def test_what_changes_nothing_writes_nothing(tmp_path):
    file = tmp_path / "progress.json"
    progress.update(lambda standing: standing.hints.update({1: 1}), file)
    before = file.stat()
    assert progress.update(lambda standing: None, file) == "" and file.stat() == before


def test_changes_made_at_once_are_all_kept(tmp_path):
    file = tmp_path / "progress.json"
    changes = [lambda standing, n=n: standing.hints.update({n: 1}) for n in range(1, 10)]
    with ThreadPoolExecutor(9) as pool:
        assert set(pool.map(lambda change: progress.update(change, file), changes)) == {""}
    assert progress.load(file)[0].hints == dict.fromkeys(range(1, 10), 1)


def test_a_lock_that_was_left_behind_is_broken(tmp_path, monkeypatch):
    file = tmp_path / "progress.json"
    (tmp_path / "progress.lock").touch()
    monkeypatch.setattr(progress, "_LOCK_HELD_S", 0.1)
    assert progress.update(lambda standing: standing.hints.update({1: 1}), file) == ""
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


DAMAGED = {
    "nothing": b"",
    "half of it": b'{"version": 1, "passed": {"1": {"dig',
    "no text": b"\xff\xfe\x00\x01",
    "another thing": b"[1, 2]",
    "a newer version": b'{"version": 2, "passed": {}}',
    "fields missing": b'{"version": 1}',
    "wrong kinds": b'{"version": 1, "passed": {"1": {"digest": 5, "stars": true}}, "hints": {}, "base": 1}',
    "a step too many": b'{"version": 1, "passed": {"10": {"digest": "a", "stars": 1}}, "hints": {}, "base": 1, '
    b'"find_again": false}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_set_aside_and_told(tmp_path, kind):
    file = tmp_path / "progress.json"
    for number in (1, 2):
        file.write_bytes(DAMAGED[kind])
        standing, told = progress.load(file)
        assert standing == Progress(find_again=True) and "damaged" in told
        aside = tmp_path / ("progress-damaged.json" if number == 1 else "progress-damaged-2.json")
        assert aside.read_bytes() == DAMAGED[kind] and aside.name in told
        assert progress.load(file) == (Progress(find_again=True), "")


def test_a_crash_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "progress.json"
    progress.update(lambda standing: standing.hints.update({1: 1}), file)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(files.os, name, crash)
            with pytest.raises(KeyboardInterrupt):
                progress.update(lambda standing: standing.hints.update({1: 2}), file)
        assert progress.load(file)[0].hints == {1: 1}
        assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path):
    file = tmp_path / "progress.json"
    file.mkdir()
    told = progress.update(lambda standing: None, file)
    assert "is not saved" in told and file.is_dir()
    assert "cannot be read" in progress.load(file)[1]


def test_a_place_that_cannot_be_written_is_told_in_a_line_and_the_verdict_stands(project):
    project.solve(1)
    project.state.write_text("no folder")
    told = project.kata("check", "1")
    assert told.status == 0 and "step 1 passed" in told and "Traceback" not in told.text
    assert "progress" in told and "not saved" in told
    assert project.state.read_text() == "no folder"


def test_passes_are_found_again_after_damage(project):
    project.pass_steps(1, 2)
    project.solve(3)
    (project.state / "progress.json").write_text("{")
    told = project.kata("progress")
    assert "was damaged" in told and "kept as .kata/progress-damaged.json" in told
    told = project.kata("check")
    assert told.status == 1 and "checking your steps from the first on" in told
    assert project.passed() == [1, 2, 3] and "step 4 is not started" in told
    assert "checking your steps" not in project.kata("check")


def test_damage_is_mended_by_a_check_of_one_step_too(project):
    project.pass_steps(1, 2)
    (project.state / "progress.json").write_text("")
    project.solve(3)
    told = project.kata("check", "3")
    assert told.status == 0 and "step 3 passed" in told and project.passed() == [1, 2, 3]


def test_reset_keeps_what_it_replaces(project):
    stub = project.file(3).read_text()
    assert "is the stub already" in project.kata("reset", "3")
    kept = []
    for text in ("mine\n", "mine too\n", "mine\r\n\xe4"):
        project.write(3, text)
        told = project.kata("reset", "3")
        assert told.status == 0 and project.file(3).read_text() == stub
        kept.append(text.encode())
        backups = sorted((project.state / "backups").iterdir())
        assert sorted(path.read_bytes() for path in backups) == sorted(kept)
        assert any(path.name in told.text.replace("\n", "") for path in backups)
    project.file(3).unlink()
    assert project.kata("reset", "3").status == 0 and project.file(3).read_text() == stub


def test_reset_without_a_place_for_the_backup_changes_nothing(project):
    project.write(3, "mine")
    project.state.write_text("no folder")
    told = project.kata("reset", "3")
    assert told.status == 1 and "left as it is" in told and project.file(3).read_text() == "mine"


def test_the_solution_is_for_afterwards(project):
    told = project.kata("solution", "1")
    assert told.status == 2 and "return x + 1" not in told and "--yes" in told
    told = project.kata("solution", "1", "--yes")
    assert told.status == 0 and "return x + 1" in told and "BEGIN SOLUTION" not in told
    project.pass_steps(1)
    told = project.kata("solution", "1")
    assert told.status == 0 and "- return 1 + x" in told and "+ return x + 1" in told and "@@" in told.text


def test_stubs_are_written_anew_and_nothing_is_lost(project):
    assert project.kata("stubs", "--check").status == 0
    old = project.file(2).read_text().replace("x + 2", "two more")
    project.write(2, old)
    project.file(4).unlink()
    told = project.kata("stubs", "--check")
    assert told.status == 1 and "step_02" in told and "step_04" in told and project.file(2).read_text() == old
    assert project.kata("stubs").status == 0
    assert project.kata("stubs", "--check").status == 0
    assert [path.read_text() for path in (project.state / "backups").iterdir()] == [old]


def test_stubs_do_not_replace_what_somebody_has_solved(project):
    project.solve(2)
    project.write(5, project.file(5).read_text() + "# untouched, but old\n")
    told = project.kata("stubs")
    assert told.status == 2 and "step_02_sampling.py" in told and "step_05" not in told and "--yes" in told
    assert project.file(2).read_text() == right(2) and "but old" in project.file(5).read_text()
    assert project.kata("stubs", "--yes").status == 0 and project.kata("stubs", "--check").status == 0
    assert right(2) in [path.read_text() for path in (project.state / "backups").iterdir()]


def test_an_update_of_the_kata_leaves_progress_alone(project):
    project.pass_steps(1, 2)
    before = (project.state / "progress.json").read_bytes()
    shutil.rmtree(project.root / "reference")
    shutil.rmtree(project.root / "tests")
    assert "2 passed" in project.kata("progress")
    assert (project.state / "progress.json").read_bytes() == before


DIGESTS = {number: f"digest of {number}" for number in range(1, 10)}


def standing(*passed: int, changed: tuple[int, ...] = (), base: int = 1) -> list:
    remembered = {n: Pass("another" if n in changed else DIGESTS[n]) for n in (*passed, *changed)}
    return survey(Progress(remembered, base=base), DIGESTS, {})


def states(places: list) -> list[str]:
    return [place.state.value for place in places]


def test_the_state_of_each_step_follows_from_what_is_remembered():
    assert states(standing()) == ["open", *["locked"] * 8]
    assert states(standing(1, 2, changed=(3,))) == ["passed", "passed", "changed", "open", *["locked"] * 5]
    assert states(standing(2, 5)) == ["open", "passed", "locked", "locked", "passed", *["locked"] * 4]
    assert states(standing(2, changed=(1,), base=4)) == ["changed", "passed", "reference", "open", *["locked"] * 5]
    gone = survey(Progress({1: Pass("a"), 2: Pass("b")}), {1: "a", 2: None}, {})
    assert states(gone) == ["passed", "missing", "open", *["locked"] * 6] and next_step(gone).number == 2


def test_a_pass_is_of_the_checks_too():
    remembered = Progress({n: Pass(DIGESTS[n], 1, "old") for n in (1, 2, 3)})
    places = survey(remembered, DIGESTS, {1: "old", 2: "new"})  # what 3's are now cannot be read
    assert states(places)[:4] == ["passed", "recheck", "passed", "open"]
    assert next_step(places).number == 2 and blocking(places, 4) is None
    assert sources_for(places, 4)[2].parent == REFERENCE


def test_what_comes_next_and_what_is_in_the_way():
    places = standing(1, 2, changed=(3,))
    assert next_step(places).number == 3 and blocking(places, 5).number == 4 and blocking(places, 4) is None
    assert next_step(standing(*range(1, 10))) is None
    assert next_step(standing(base=4)).number == 4 and blocking(standing(base=4), 4) is None


def test_the_reference_stands_in_only_for_earlier_steps_that_have_not_passed():
    folders = {n: file.parent for n, file in sources_for(standing(1, changed=(2,), base=4), 4).items()}
    assert [folders[n] for n in (1, 2, 3, 4, 5)] == [EXERCISES, REFERENCE, REFERENCE, EXERCISES, EXERCISES]
    assert standing(1)[0].state is State.PASSED
