"""How `watch` begins and ends, and what it will not grant: locked steps, a newer kata, forged evidence."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.forks import FORKS
from tests.tools.test_runner_limits import is_running, wait_until
from tests.tools.throwaway import Project, right
from tests.tools.watched import Watched

PASSED, LOCKED = 0, 2
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
Start = Callable[..., Watched]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


@pytest.fixture
def watch(project: Project) -> Iterator[Start]:
    started: list[Watched] = []

    def start(*words: str, **environment: str) -> Watched:
        started.append(Watched(project, *words, **environment))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_it_begins_with_the_step_that_is_worked_on(project, watch):
    project.pass_steps(1, 2)
    assert "step 3 is not started" in watch().verdict()


def test_a_locked_step_is_not_watched(project, watch):
    watched = watch("5")
    assert "step 5 is locked: step 1 comes first" in watched.until("to go on from there")
    assert watched.process.wait(timeout=60) == LOCKED
    assert "the reference stands in for steps 1, 2, 3, 4 step 5 is not started" in watch("5", "--force").verdict()


def test_where_all_is_passed_that_is_said(project, watch):
    project.pass_steps(*range(1, 10))
    watched = watch()
    assert "every step is passed" in watched.until("watches a step")
    assert watched.process.wait(timeout=60) == PASSED
    assert "step 2 passed" in watch("2").verdict()


def test_an_earlier_step_that_has_changed_is_checked_first(project, watch):
    project.pass_steps(1)
    watched = watch("2")
    watched.verdict()
    project.write(1, "# another\n" + right(1))
    told = watched.verdict()
    assert "step 1 changed since it passed: it is checked first" in told and "step 2 is not started" in told
    project.write(1, "def step_1(x): return 7\n")
    assert "step 1 failed" in watched.verdict()


def test_a_damaged_progress_is_found_again(project, watch):
    project.pass_steps(1)
    (project.state / "progress.json").write_text("{")
    told = watch().verdict()
    assert "was damaged" in told and "step 1 passed" in told and "step 2 is not started" in told


@POSIX
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("forks", ["1", "0"])
def test_when_it_ends_everything_ends(project, watch, way, forks):
    code = "import os\nopen('pids', 'w').write(f'{os.getpid()} {os.getppid()} ')\nwhile True: pass\n"
    project.write(1, code)
    watched = watch("--limit", "1000", KATA_FORK=forks)
    watched.until("checking")
    pids = project.root / "pids"
    wait_until(lambda: pids.exists() and pids.read_text().endswith(" "))
    told = watched.send(way)
    assert told == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[way]
    wait_until(lambda: not any(is_running(int(pid)) for pid in pids.read_text().split()))
    assert "Traceback" not in watched.process.stdout.read()


def test_a_newer_kata_begins_again(project, watch):
    watched = watch()
    watched.verdict()
    checks = project.root / "tests" / "test_01_chat_template.py"
    checks.write_text(checks.read_text() + "\n\ndef test_more(step):\n    step.more()\n")
    assert "the kata itself has changed: beginning again" in watched.verdict()
    project.solve(1)
    assert "step 1 failed passed 2 of 3 checks" in watched.verdict()


@pytest.mark.parametrize("forks", ["1", "0"])
def test_checks_that_cannot_be_collected_are_told_and_mended(project, watch, forks):
    checks = project.root / "tests" / "test_03_generate_uncached.py"
    text = checks.read_text()
    checks.write_text("import no_such_library\n" + text)
    project.solve(1)
    watched = watch("1", KATA_FORK=forks)
    assert "step 1 passed" in watched.verdict()  # from nothing, since no process gets warm
    checks.write_text(text)
    assert "beginning again" in watched.verdict()
    project.write(1, "def step_1(x): return 7\n")
    assert "step 1 failed" in watched.verdict()


@pytest.mark.skipif(not FORKS, reason="nothing is shared where nothing is forked")
def test_who_eats_what_two_runs_share_passes_nothing(project, watch):
    eats = "import os\nfor number in range(3, 20):\n    try: os.set_blocking(number, False); os.read(number, 100)\n"
    project.write(1, eats + "    except OSError: pass\n" + right(1))
    told = watch().verdict()
    assert "step 1 failed" in told and project.passed() == []


FORGED = """
import json, os
{right}
for name in os.listdir("/proc/self/fd"):
    if int(name) > 2:
        for event in {{"n": 0, "event": "collected", "checks": {names}}}, {{"n": 1, "event": "end", "stopped": False}}:
            try: os.write(int(name), b"0" * 64 + b" " + json.dumps(event).encode() + b"\\n")
            except OSError: pass
def step_1(x): return 7
"""


@pytest.mark.skipif(not FORKS, reason="/proc is where Linux has it")
def test_forged_evidence_is_none(project, watch):
    names = json.dumps(["test_adds_the_number", "test_adds_to_negative_numbers", "test_has_a_star"])
    project.write(1, FORGED.format(right=right(1), names=names))
    told = watch().verdict()
    assert "step 1 failed passed 0 of 2" in told and project.passed() == []
    assert os.listdir(project.root / ".kata") == ["progress.json"]
