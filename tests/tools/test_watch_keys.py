"""`watch` in a terminal: its keys, what it draws, and that the terminal is afterwards as it was."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tools.throwaway import Project, right

if sys.platform == "win32":
    pytest.skip("there are no such terminals", allow_module_level=True)

from tests.tools.terminal import Terminal

STOPPED, LAST = 130, "? help"
Start = Callable[..., Terminal]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "kata")


@pytest.fixture
def watch(project: Project) -> Iterator[Start]:
    started: list[Terminal] = []

    def start(*words: str, **environment: str) -> Terminal:
        settings = {"TERM": "xterm", "COLUMNS": "80"} | environment
        words = ("-m", "kata", "watch", *words)
        started.append(Terminal(*words, cwd=project.root, environment=project.environment(**settings)))
        return started[-1]

    yield start
    for terminal in started:
        terminal.close()


def test_it_goes_on_to_the_next_step_only_on_a_key(project, watch):
    terminal = watch()
    assert "\x1b[2J\x1b[Hstep 1: " in terminal.type_after(LAST)
    project.solve(1)
    told = terminal.type_after(LAST)
    assert "passed\x1b[0m  2 of 2 checks" in told and "n goes on to step 2" in told
    project.solve(2)
    assert "n goes on to step 2" in terminal.type_after("was saved: n goes on to step 2")
    assert project.passed() == [1]
    terminal.type("n")
    assert "step 2" in terminal.type_after(LAST) and project.passed() == [1, 2]


def test_each_key_does_what_it_says(project, watch):
    project.write(1, "def step_1(x):\n    return 7\n")
    terminal = watch("1")
    assert "1 is added to the number." in terminal.type_after(LAST, "h")
    assert "what do you get if you count on from 1" in " ".join(terminal.type_after(LAST, "l").split())
    assert "passed 0 of 9 steps" in terminal.type_after(LAST, "n")
    assert "step 1 has not passed yet" in terminal.type_after(LAST, "a")
    assert "Negative numbers are numbers too." in terminal.type_after(LAST, "?")
    assert "on to the next step" in terminal.type_after(LAST, " ")
    assert terminal.type_after(LAST, "x\x1b[A").count("1 is added to the number.") == 1
    terminal.type("q")
    assert terminal.wait() == 0


def test_a_reset_wants_a_yes_and_says_what_is_kept(project, watch):
    mine = "def step_1(x):\n    return 7\n"
    project.write(1, mine)
    terminal = watch("1")
    terminal.type_after(LAST, "r")
    terminal.type_after("y or n?", "n")
    terminal.type_after("your file is as it was")
    assert project.file(1).read_text() == mine
    terminal.type_after(LAST, "r")
    terminal.type_after("y or n?", "y")
    told = terminal.type_after(LAST)
    assert "not started" in told and "kept     .kata/backups/step_01_chat_template-" in told
    assert [file.read_text() for file in (project.state / "backups").iterdir()] == [mine]


@pytest.mark.parametrize("way", ["q", "\x03", signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_afterwards_as_it_was(project, watch, way):
    terminal = watch("1", "--limit", "1000")
    before = terminal.settings()
    terminal.type_after(LAST)
    assert terminal.settings() != before
    project.write(1, "def step_1(x):\n    while True: pass\n")
    terminal.type_after("checking")  # in the midst of a run
    if isinstance(way, str):
        terminal.type(way)
    else:
        terminal.process.send_signal(way)
    assert terminal.wait() == {"q": 0, "\x03": STOPPED}.get(way, way if isinstance(way, str) else 128 + way)
    assert terminal.settings() == before


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(project, watch):
    terminal = watch("1")
    before = terminal.settings()
    terminal.type_after(LAST)
    mine = terminal.settings()
    os.kill(terminal.process.pid, signal.SIGTSTP)  # here, without a shell, nothing stops
    project.solve(1)
    assert "2 of 2 checks" in terminal.type_after(LAST)
    assert terminal.settings() == before
    os.kill(terminal.process.pid, signal.SIGCONT)
    project.write(1, "def step_1(x):\n    return 7\n")
    assert "0 of 2 checks" in terminal.type_after(LAST)
    assert terminal.settings() == mine


def test_an_endless_loop_is_left_by_a_key(project, watch):
    project.write(1, "def step_1(x):\n    while True: pass\n")
    terminal = watch("1", "--limit", "1000")
    terminal.type_after("checking", " ")
    terminal.type_after("checking", "q")
    assert terminal.wait() == 0


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_every_line_fits_the_terminal(project, watch, columns):
    project.write(1, right(1).replace("1 + x", "'long ' * 40"))
    terminal = watch("1", COLUMNS=str(columns), NO_COLOR="1")
    told = terminal.type_after(LAST).replace("\x1b[2J\x1b[H", "")
    assert "\x1b" not in told and max(map(len, told.splitlines())) <= columns


def test_a_dumb_terminal_is_not_cleared(project, watch):
    terminal = watch(TERM="dumb")
    assert "\x1b" not in terminal.type_after(LAST)
