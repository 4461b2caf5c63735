"""The tool that looks for flakes: which runs it makes, and that a run is a true one."""

import subprocess
import sys

from kata.expected import checks_in
from kata.steps import REFERENCE, ROOT, get_step
from tests.tools.steady import trials


def test_each_time_has_a_seed_of_its_own_and_the_threads_take_turns() -> None:
    made = trials(4, [2, 5])
    first = [(one.step.number, one.seed, one.threads) for one in made[:4]]
    assert first == [(2, 1, 2), (5, 1, 2), (2, 2, 1), (5, 2, 1)]
    assert {one.path.parent for one in made} == {REFERENCE} and len({one.name for one in made}) == len(made) == 8


def test_all_checks_of_a_step_are_run_stars_included() -> None:
    command = [sys.executable, "-m", "tests.tools.steady", "2", "5"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    checks = 2 * len(checks_in(get_step(5).test_file))
    assert told.returncode == 0 and told.stdout.startswith(f"2 of 2 runs passed, {checks} checks")
