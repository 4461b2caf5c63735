"""A fork of the warm process and a process that starts from nothing come to the same verdict."""

import json
import os
import subprocess
import sys

import pytest

from kata.steps import ROOT
from tests.tools.specimens import FAULTS, VARIANTS
from tests.tools.warm import FORKS

FROM_NOTHING = "from tests.tools import warm, zoo; warm.FORKS = zoo.FORKS = False; zoo.main()"
FILES = [FAULTS / "step_07/prompt_unbounded.py", VARIANTS / "step_07/inherited.py"]


@pytest.mark.skipif(not FORKS, reason="there is no safe fork here: every process starts from nothing")
def test_a_fork_and_a_process_from_nothing_say_the_same() -> None:
    forked, from_nothing = verdicts("-m", "tests.tools.zoo"), verdicts("-c", FROM_NOTHING)
    assert [one["passed"] and not one["ended"] for one in forked.values()] == [True, True]
    for name, verdict in forked.items():
        for what in ("passed", "skipped", "ended"):
            assert verdict[what] == from_nothing[name][what]
        assert verdict["failed"].keys() == from_nothing[name]["failed"].keys()


def verdicts(*module: str) -> dict[str, dict]:
    command = [sys.executable, *module, "--json", "--jobs", "1"]
    asked = "".join(f"{file}\n" for file in FILES)
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    told = subprocess.run(
        command, cwd=ROOT, env=environment, input=asked, stdout=subprocess.PIPE, text=True, check=True
    )
    return {one["name"]: one for one in map(json.loads, told.stdout.splitlines())}
