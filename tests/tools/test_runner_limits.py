"""Checks that never end, and the ends of the runner itself: what a file has started is gone afterwards."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kata import report
from kata.check import Result
from kata.expected import Check
from kata.look import Look
from kata.steps import STEPS
from kata.verdict import Ending, judge
from tests.tools.throwaway import Project, right

FAILED, CANNOT_LOAD, STOPPED = 1, 3, 130
FILE = "exercises/step_01_chat_template.py"
LIMIT = "0.3"  # seconds; an endless loop is one after any time
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="process groups and signals as POSIX has them")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


LOOPS = {
    "busy": "while True: x += 1",
    "idle": "import time; time.sleep(1000)",
    "in C": "sum(iter(int, 1))",
    "in C, never letting go": "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
    "deaf to signals": "import signal; signal.signal(15, signal.SIG_IGN)\n    while True: pass",
    "swallowing all": "\n    ".join(["while True:", "    try: raise ValueError", "    except BaseException: pass"]),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_an_endless_loop_is_stopped_and_its_line_named(project, loop):
    project.write(1, right(1).replace("return 1 + x", "print('before')\n    " + LOOPS[loop]))
    told = project.kata("check", "1", "--limit", LIMIT)
    assert told.status == FAILED
    assert f"still running after {LIMIT} seconds, so it was stopped" in told
    assert f"where {FILE}, line " in told and ", in step_1" in told and "printed before" in told
    assert "--limit 60" in told and project.passed() == []


def test_a_loop_at_import_means_that_the_file_cannot_be_loaded(project):
    project.write(1, "x = 0\nwhile True: x += 1\n" + right(1))
    told = project.kata("check", "1", "--limit", LIMIT)
    assert told.status == CANNOT_LOAD and f"where {FILE}, line 2" in told


def test_a_loop_in_a_star_costs_the_star_only(project):
    project.write(1, right(1).replace("return 1\n", "import time; time.sleep(1000)\n"))
    told = project.kata("check", "1", "--limit", "1")
    assert told.status == 0 and "stars 0 of 1" in told
    assert "no star The star is there. (still running after 1 seconds, so it was stopped.)" in told
    assert "still running" in project.kata("check", "1", "--limit", "1", "-v")


def test_a_star_that_was_not_run_is_told_as_such():
    checks = [Check("test_a", "A."), *(Check(f"test_{star}", f"{star}.", stretch=True) for star in "BC")]
    began = [{"event": "started", "check": name} for name in ("test_a", "test_B")]
    ended = {"event": "finished", "check": "test_a", "failure": None, "seconds": 0.1}
    told = [{"event": "collected", "checks": [check.name for check in checks]}, began[0], ended, began[1]]
    verdict = judge(checks, told, Ending(None, limit_s=20))
    lines = " ".join(" ".join(report.pass_report(Result(STEPS[0], Path("x.py"), verdict), Look())).split())
    assert "no star B. (still running after 20 seconds, so it was stopped.)" in lines
    assert "no star C. (It was not run: a star before it never came to its end.)" in lines


def test_a_check_may_state_a_limit_of_its_own(project):
    checks = project.root / "tests" / "test_01_chat_template.py"
    marked = "@pytest.mark.timeout(30)\ndef test_adds_the_number("
    checks.write_text(checks.read_text().replace("def test_adds_the_number(", marked))
    project.write(1, right(1).replace("return 1 + x", "import time; time.sleep(1.2 if x > 0 else 0); return 1 + x"))
    assert project.kata("check", "1", "--limit", "0.9").status == 0


def test_a_slow_import_is_no_loop(project):
    (project.root / "slow_library.py").write_text("import time\ntime.sleep(2.5)\n")
    project.write(1, "import slow_library\n" + right(1))
    assert project.kata("check", "1", "--limit", "0.8").status == 0


LEFT_OVER = {
    "a thread": "import threading, time; threading.Thread(target=time.sleep, args=(1000,)).start()",
    "a process": "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1)",
    "an exit handler": "import atexit, time; atexit.register(time.sleep, 1000)",
}


@pytest.mark.parametrize("left", LEFT_OVER)
def test_what_a_solution_leaves_behind_holds_nobody_up(project, left):
    started = time.monotonic()
    remember = "; open('pids', 'a').write(f'{p.pid} ')" if left == "a process" else ""
    project.write(1, right(1).replace("return 1 + x", LEFT_OVER[left] + remember + "; return 1 + x"))
    assert project.kata("check", "1").status == 0
    assert time.monotonic() - started < 60
    pids = project.root / "pids"
    if pids.exists() and sys.platform != "win32":
        assert not [pid for pid in pids.read_text().split() if is_running(int(pid))]


@POSIX
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_when_the_runner_ends_so_do_the_checks(project, how):
    project.pass_steps(1)
    project.write(2, "import os\nopen('pid', 'w').write(f'{os.getpid()} ')\nwhile True: pass\n")
    environment = {**os.environ, "KATA_PYTHON": sys.executable}
    command = [sys.executable, "-m", "kata", "check", "2"]
    runner = subprocess.Popen(
        command, cwd=project.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    pid = project.root / "pid"
    wait_until(lambda: pid.exists() and pid.read_text().endswith(" "))
    runner.send_signal(how)
    told, _ = runner.communicate(timeout=30)
    wait_until(lambda: not is_running(int(pid.read_text())))
    assert "Traceback" not in told and project.passed() == [1]
    if how == signal.SIGINT:
        assert runner.returncode == STOPPED and "stopped; your files and your progress are as they were" in told


def test_output_cut_off_by_a_reader_is_no_error_of_ours(project):
    project.pass_steps(1)
    command = f'"{sys.executable}" -m kata progress'
    head = subprocess.Popen(
        command, shell=True, cwd=project.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    head.stdout.close()
    assert "Traceback" not in head.stderr.read()
    head.stderr.close()
    head.wait()


def wait_until(true, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether the process is there, and no zombie that waits for its parent."""
    with contextlib.suppress(OSError):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    return False
