"""What counts as a save: looked at by hand, on a clock that stands still unless told."""

import os
from pathlib import Path

import pytest

from kata.saves import Saves


class Clock:
    """Seconds that pass only when somebody says so; a rest may have something happen meanwhile."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.meanwhile: list = []

    def now(self) -> float:
        return self.seconds

    def rest(self, seconds: float) -> None:
        self.seconds += seconds
        if self.meanwhile:
            self.meanwhile.pop(0)()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "step.py"
    file.write_text("one")
    return file


@pytest.fixture
def saves(file: Path, clock: Clock) -> Saves:
    return Saves([file, file.with_name("other.py")], clock.now, clock.rest)


def test_what_is_there_is_no_save_and_each_save_is_seen_once(saves, file):
    assert saves.look() == []
    file.write_text("another")
    assert saves.look() == [file] and saves.look() == []


def test_the_same_content_saved_again_is_a_save(saves, file):
    os.utime(file, (1, 1))
    assert saves.look() == [file]


def test_two_saves_within_one_step_of_a_coarse_clock(saves, file, clock):
    os.utime(file, (1, 1))
    saves.look()
    file.write_text("two")
    os.utime(file, (1, 1))
    assert saves.look() == [file]


def test_a_file_put_in_its_place(saves, file):
    beside = file.with_name("beside")
    beside.write_text("one")
    os.utime(beside, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    os.replace(beside, file)
    assert saves.look() == [file]


def test_a_file_that_comes_to_be(saves, file):
    other = file.with_name("other.py")
    other.write_text("new")
    assert saves.look() == [other]


@pytest.mark.parametrize("gone", [Path.unlink, lambda file: file.write_text("")])
def test_gone_or_empty_is_believed_when_it_stays_so(saves, file, clock, gone):
    gone(file)
    assert saves.look() == []
    clock.seconds += 1
    assert saves.look() == [file] and saves.look() == []
    file.write_text("one")
    assert saves.look() == [file]


def test_gone_for_a_moment_is_one_save(saves, file, clock):
    file.unlink()
    assert saves.look() == []
    file.write_text("two")
    assert saves.look() == [file]
    clock.seconds += 1
    assert saves.look() == []


def test_a_file_that_is_being_written_is_waited_for(saves, file, clock):
    file.write_text("a")
    clock.meanwhile = [lambda: file.write_text("a b"), lambda: file.write_text("a b c")]
    assert saves.look() == [file] and clock.meanwhile == []
    assert saves.look() == []


def test_a_file_that_never_rests_holds_nobody_up(saves, file, clock):
    file.write_text("a")
    clock.meanwhile = [lambda n=n: file.write_text("a" * n) for n in range(2, 100)]
    assert saves.look() == [file] and clock.seconds < 0.1
