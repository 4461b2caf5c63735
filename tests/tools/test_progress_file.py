"""The file of progress, byte for byte: what is written, what is taken for damage, what is said, and its lock."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import SimpleNamespace

import pytest

from kata import progress
from kata.progress import Failed, Pass, Progress
from kata.steps import ROOT

EMPTY = b"""{
 "version": 1,
 "passed": {},
 "hints": {},
 "base": 1,
 "find_again": false,
 "failed": {},
 "check_hints": {}
}
"""
WHOLE = (
    b'{"version": 1, "passed": {"3": {"digest": "a", "stars": 2, "checks": "c"}}, "hints": {"4": 1}, "base": 2, '
    b'"find_again": true, "failed": {"5": {"digest": "b", "check": "test_a"}}, "check_hints": {"6": ["test_b"]}}'
)
READ = Progress({3: Pass("a", 2, "c")}, {4: 1}, 2, True, {5: Failed("b", "test_a")}, {6: ["test_b"]})


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Not there yet, as its folder is not, in a kata of its own."""
    monkeypatch.setattr(progress, "ROOT", tmp_path)
    return tmp_path / "kept" / "here" / "progress.json"


def write(file: Path, data: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def nothing(standing: Progress) -> None: ...


def raising(error: Exception) -> Callable[..., None]:
    def fails(*_: object) -> None:
        raise error

    return fails


def test_it_lies_in_a_folder_of_its_own() -> None:
    assert progress.FILE == ROOT / ".kata" / "progress.json"


def test_a_beginning_is_written_as_it_is_read(file: Path) -> None:
    assert progress.update(nothing, file) == ""
    assert file.read_bytes() == EMPTY
    assert progress.load(file) == (Progress(), "") == (Progress({}, {}, 1, False, {}, {}), "")


def test_all_that_is_kept_is_read_and_written(file: Path) -> None:
    write(file, WHOLE)
    assert progress.load(file) == (READ, "")
    assert progress.update(lambda standing: standing.hints.update({4: 2}), file) == ""
    again = progress.load(file)[0]
    assert (again.hints, again.passed, again.failed) == ({4: 2}, READ.passed, READ.failed)
    assert progress.update(lambda standing: standing.hints.update({4: 1}), file) == ""
    assert progress.load(file) == (READ, "")


def test_a_pass_and_a_failure_are_values() -> None:
    assert Pass("a") == Pass("a", 0, "")
    for value in (Pass("a"), Failed("a", "test_a")):
        with pytest.raises(FrozenInstanceError):
            value.digest = "b"


def test_a_file_of_before_the_checks_counted_has_none(file: Path) -> None:
    write(file, WHOLE.replace(b', "checks": "c"', b""))
    assert progress.load(file)[0].passed == {3: Pass("a", 2, "")}


def test_a_file_of_before_failures_and_hints_of_checks_were_kept_has_none(file: Path) -> None:
    write(file, WHOLE[: WHOLE.index(b', "failed"')] + b"}")
    assert progress.load(file) == (Progress(READ.passed, READ.hints, READ.base, READ.find_again), "")


def test_what_has_not_changed_is_not_written_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress.update(nothing, file) == ""
    monkeypatch.setattr(progress, "write_atomically", raising(OSError("full")))
    assert progress.update(nothing, file) == ""


def test_every_step_may_be_named(file: Path) -> None:
    passes = ", ".join(f'"{n}": {{"digest": "a", "stars": 0}}' for n in range(1, 10)).encode()
    write(file, WHOLE.replace(b'"3": {"digest": "a", "stars": 2, "checks": "c"}', passes))
    standing, told = progress.load(file)
    assert (sorted(standing.passed), told) == (list(range(1, 10)), "")


WRONG = [
    (b'"digest": "a"', b'"digest": 5'),
    (b'"stars": 2', b'"stars": true'),
    (b'"stars": 2', b'"stars": null'),
    (b'"checks": "c"', b'"checks": 5'),
    (b'{"digest": "a", "stars": 2, "checks": "c"}', b'["a", 2, "c"]'),
    (b'{"3": {"digest": "a", "stars": 2, "checks": "c"}}', b"[]"),
    (b'"3": {"digest"', b'"three": {"digest"'),
    (b'{"4": 1}', b'{"4": "1"}'),
    (b'"base": 2', b'"base": "2"'),
    (b'"find_again": true', b'"find_again": 1'),
    (b'"digest": "b"', b'"digest": null'),
    (b'"check": "test_a"', b'"check": null'),
    (b'["test_b"]', b'"test_b"'),
    (b'["test_b"]', b"[6]"),
    (b'"base": 2, ', b""),
    (b'"version": 1', b'"version": 0'),
    (b'"version": 1', b'"version": 2'),
    (b'"version": 1, ', b""),
]
NO_SUCH_STEP = [
    (b'"3": {', b'"0": {'),
    (b'"4": 1', b'"10": 1'),
    (b'"base": 2', b'"base": 0'),
    (b'"base": 2', b'"base": 10'),
    (b'"5": {', b'"10": {'),
    (b'"6": [', b'"10": ['),
]


@pytest.mark.parametrize(("right", "wrong"), WRONG + NO_SUCH_STEP)
def test_whatever_cannot_be_is_damage(file: Path, right: bytes, wrong: bytes) -> None:
    data = WHOLE.replace(right, wrong)
    assert data != WHOLE
    standing, told = progress.load(write(file, data))
    assert standing == Progress(find_again=True) and "was damaged" in told
    assert (file.parent / "progress-damaged.json").read_bytes() == data
    assert file.read_bytes() == EMPTY.replace(b"false", b"true")


@pytest.mark.parametrize(("right", "wrong"), NO_SUCH_STEP)
def test_a_step_that_there_is_not_is_told(file: Path, right: bytes, wrong: bytes) -> None:
    told = progress.load(write(file, WHOLE.replace(right, wrong)))[1]
    assert "(it names a step that there is not)" in told


def test_damage_is_told_with_its_reason_and_where_the_file_is_kept(file: Path) -> None:
    told = progress.load(write(file, b"[]"))[1]
    assert told == (
        "kept/here/progress.json was damaged (it is not of this version of the kata): it is kept as "
        "kept/here/progress-damaged.json; the next check finds your passes again"
    )


def test_a_value_of_another_kind_is_named(file: Path) -> None:
    told = progress.load(write(file, WHOLE.replace(b'"digest": "a"', b'"digest": 5')))[1]
    assert "(5 stands where str should)" in told


def test_where_no_folder_can_be_made_nothing_is_saved(file: Path) -> None:
    write(file.parent.parent, b"")
    assert progress.update(nothing, file).startswith("progress is not saved: ")


def test_damage_that_cannot_be_set_aside_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "write_new", raising(OSError("full")))
    told = "kept/here/progress.json is damaged (it is not of this version of the kata) and cannot be set aside"
    assert progress.load(write(file, b"[]")) == (Progress(find_again=True), told)
    assert file.read_bytes() == b"[]"


@pytest.mark.parametrize(("error", "why"), [(OSError(5, "of the disk"), "of the disk"), (OSError("odd"), "odd")])
def test_what_cannot_be_read_or_written_is_told(file: Path, monkeypatch, error: OSError, why: str) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(progress, "write_atomically", raising(error))
        told = progress.update(nothing, file)
        assert told == f"progress is not saved: kept/here/progress.json cannot be written ({why})"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", raising(error))
        told = progress.update(nothing, file)
        assert told == f"progress is not saved: kept/here/progress.json cannot be read ({why})"
    assert not file.exists()


def test_a_file_that_cannot_be_read_counts_for_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", raising(OSError(5, "of the disk")))
    told = "kept/here/progress.json cannot be read (of the disk): nothing counts as passed for now"
    assert progress.load(file) == (Progress(), told)


def test_a_file_elsewhere_is_told_by_its_whole_path(tmp_path: Path, file: Path, monkeypatch) -> None:
    monkeypatch.setattr(progress, "ROOT", tmp_path / "elsewhere")
    assert progress.load(write(file, b"[]"))[1].startswith(f"{file} was damaged")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that goes on by sleeping alone. `then`: called after each sleep; `look`: at each look at the clock."""
    waits = SimpleNamespace(of=[], then=lambda: None, look=lambda: None)

    def sleep(seconds: float) -> None:
        waits.of.append(seconds)
        waits.then()

    def monotonic() -> float:
        waits.look()
        return 100.0 + sum(waits.of)

    monkeypatch.setattr(progress, "time", SimpleNamespace(sleep=sleep, monotonic=monotonic))
    return waits


def test_a_change_holds_the_lock_and_gives_it_back(file: Path, waits: SimpleNamespace) -> None:
    lock, held = file.with_name("progress.lock"), []
    for _ in range(2):  # the folder is not there, and then it is
        progress.update(lambda standing: held.append(lock.exists()), file)
        assert not lock.exists()
    assert (held, waits.of) == ([True, True], [])


def test_a_lock_is_waited_for(file: Path, waits: SimpleNamespace) -> None:
    lock = write(file.with_name("progress.lock"), b"")
    waits.then = lambda: len(waits.of) == 3 and lock.unlink()
    assert progress.update(nothing, file) == ""
    assert waits.of == [0.01] * 3 and not lock.exists()


def test_a_lock_is_broken_after_three_seconds_not_sooner(file: Path, waits: SimpleNamespace) -> None:
    lock, held = write(file.with_name("progress.lock"), b""), []
    progress.update(lambda standing: held.append(lock.exists()), file)
    assert held == [True] and not lock.exists()
    assert set(waits.of) == {0.01} and 3.0 <= sum(waits.of) <= 3.05


def test_a_lock_that_another_breaks_first_is_taken_all_the_same(file: Path, waits: SimpleNamespace) -> None:
    lock, held = write(file.with_name("progress.lock"), b""), []
    waits.look = lambda: sum(waits.of) > 3.0 and lock.unlink(missing_ok=True)
    progress.update(lambda standing: held.append(lock.exists()), file)
    assert held == [True]


def test_a_lock_that_was_broken_meanwhile_is_no_error(file: Path, waits: SimpleNamespace) -> None:
    lock = file.with_name("progress.lock")
    assert progress.update(lambda standing: lock.unlink(), file) == ""
    assert file.read_bytes() == EMPTY


def test_an_error_of_the_change_comes_through_and_the_lock_is_given_back(file: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        progress.update(raising(ZeroDivisionError()), file)
    assert list(file.parent.iterdir()) == []
