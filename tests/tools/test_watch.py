"""`watch` as a process: a verdict at every save, whatever is saved, and however; synchronised on what it says."""

import os
import sys
from collections.abc import Iterator

import pytest

from kata.forks import FORKS
from kata.source import digest_of
from tests.tools.throwaway import Project, right
from tests.tools.watched import Watched

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")


WAYS = ["forks", "spares"] if FORKS else ["spares"]


@pytest.fixture(scope="module", params=WAYS)
def watched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """One `watch` of step 1 for all these tests: as it is where a fork is safe, and as it is elsewhere."""
    project = Project(tmp_path_factory.mktemp("watch") / "kata")
    watched = Watched(project, "1", "--limit", "2", KATA_FORK="1" if request.param == "forks" else "0")
    watched.until("step 1 is not started")
    watched.verdict()
    yield watched
    watched.close()


@pytest.fixture
def project(watched: Watched) -> Project:
    return watched.project


def wrong(result: object) -> str:
    """A step 1 that always returns this."""
    return f"def step_1(x):\n    return {result!r}\n\n\ndef star_1():\n    return 1\n"


def running(code: str) -> str:
    """A step 1 that is right, but for what it does besides."""
    return right(1).replace("return 1 + x", f"{code}; return 1 + x")


def has_passed(project: Project) -> bool:
    """Whether step 1 as it is now is remembered as passed."""
    remembered = project.progress()["passed"].get("1", {})
    return remembered.get("digest") == digest_of(project.file(1))


def test_every_save_gets_its_verdict(project, watched):
    project.write(1, wrong(7))
    told = watched.verdict()
    assert "step 1 failed passed 0 of 2 checks" in told and "got 7 wanted 2" in told and not has_passed(project)
    project.solve(1)
    told = watched.verdict()
    assert "step 1 passed 2 of 2 checks, stars 1 of 1" in told and "step 2 is open" in told
    assert has_passed(project) and project.progress()["passed"]["1"]["stars"] == 1
    project.write(1, "def step_1(x):\n    raise NotImplementedError('TODO 1: add')\n")
    assert "step 1 is not started" in watched.verdict()


def test_it_says_what_check_says(project, watched):
    for source in (wrong(8), running("print('hello')").replace("return 1\n", "return 2\n")):
        project.write(1, source)
        told, checked = watched.verdict(), project.kata("check", "1", "--limit", "2")
        assert " ".join(checked.text.split()) in told


def test_plain_lines_where_there_is_no_terminal(project, watched):
    project.write(1, wrong(9))
    told = watched.verdict()
    assert "\x1b" not in "".join(watched.lines) and "h hint" not in told


def test_half_a_file_is_told_and_the_next_save_heals_it(project, watched):
    project.write(1, right(1)[:13])
    assert "step 1 cannot be loaded what SyntaxError" in watched.verdict()
    project.solve(1)
    assert "step 1 passed" in watched.verdict()


def test_an_editor_may_replace_the_file(project, watched):
    file = project.file(1)
    beside = file.with_name("step_1.tmp")
    beside.write_text(wrong(10))
    os.replace(beside, file)  # a new file in the place of the old one
    assert "got 10" in watched.verdict()
    os.replace(file, beside)  # the old one put aside, and written anew
    project.write(1, wrong(11))
    assert "got 11" in watched.verdict()
    beside.unlink()


def test_a_file_that_is_gone_is_told_and_may_come_back(project, watched):
    project.file(1).unlink()
    assert "the file is not there" in watched.verdict()
    project.write(1, wrong(12))
    assert "got 12" in watched.verdict()
    project.write(1, "")
    assert "does not define step_1" in watched.verdict()


def test_of_ten_saves_in_a_row_the_last_counts(project, watched):
    for number in range(100, 110):
        project.write(1, wrong(number))
        project.python("-c", "pass")  # a moment, as between the saves of a busy editor
    told = watched.until("got      109") + watched.verdict()
    assert told.count("step 1 failed") <= 10 and not has_passed(project)


def test_an_endless_loop_is_stopped_and_told(project, watched):
    project.write(1, "import time\ndef step_1(x):\n    while True:\n        time.sleep(0.01)\n")
    told = watched.verdict()
    assert "still running after 2 seconds, so it was stopped" in told and ", in step_1" in told


def test_a_save_ends_the_run_of_what_it_replaces(project, watched):
    project.write(1, "import time\ndef step_1(x):\n    print('.')\n    time.sleep(1000)\n")
    watched.until("checking")
    project.write(1, wrong(13))
    assert "got 13" in watched.verdict()


CRASHES = {
    "an exit": ("import os; os._exit(0)", "os._exit(0) ends the whole process"),
    "a polite exit": ("import sys; sys.exit(0)", "sys.exit(0) was called"),
    "a signal": ("import os; os.kill(os.getpid(), 9)", "killed by signal 9"),
    "a crash": ("import ctypes; ctypes.string_at(0)", "interpreter crashed"),
    "an interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt was raised"),
    "a skip": ("import pytest; pytest.skip()", "a check that is skipped proves nothing"),
    "an end of its group": ("import os; os.killpg(0, 9)", "killed by signal 9"),
}


CRASHES_OF_SPARES = ("an exit", "a crash")  # the others are as in `check`, and tested there


@POSIX
@pytest.mark.parametrize(
    ("watched", "crash"),
    [(way, crash) for way in WAYS for crash in CRASHES if way == "forks" or crash in CRASHES_OF_SPARES],
    indirect=["watched"],
)
def test_a_crash_is_told_and_the_next_save_is_checked(project, watched, crash):
    code, told = CRASHES[crash]
    project.write(1, running(code))
    assert told in watched.verdict() and not has_passed(project)
    project.write(1, wrong(14))
    assert "got 14" in watched.verdict()


def test_what_is_printed_is_kept_within_bounds(project, watched):
    project.write(1, running("print('spam ' * 1_000_000)").replace("1 + x", "x"))
    told = watched.verdict()
    assert "more characters" in told and len(told) < 5000


@pytest.mark.skipif(not FORKS, reason="there is nothing to fork from")
@pytest.mark.parametrize("watched", ["forks"], indirect=True)
def test_whoever_ends_the_warm_process_ends_no_watch(project, watched):
    project.write(1, running("import os; os.kill(os.getppid(), 9)"))
    watched.until("step 1 ")
    watched.verdict()
    project.write(1, wrong(15))
    assert "got 15" in watched.verdict()
    project.write(1, wrong(16))
    assert "got 16" in watched.verdict()
