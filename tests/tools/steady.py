"""No flakes: the reference under all checks again and again, each time with another seed, on one thread and on two.

python -m tests.tools.steady              200 times each of the nine steps
python -m tests.tools.steady 20 3 4       20 times steps 3 and 4
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from kata.steps import REFERENCE, get_step
from tests.tools.schedule import JOBS, run
from tests.tools.specimens import Specimen, Verdict

TIMES, THREADS = 200, (1, 2)


@dataclass(frozen=True)
class Trial(Specimen):
    """The reference of a step, once. As a fault that no check is to catch it meets the stars' checks as well."""

    @property
    def name(self) -> str:
        return f"step {self.step.number} with seed {self.seed} on {self.threads} thread{'s' * (self.threads > 1)}"


def trials(times: int, numbers: Sequence[int]) -> list[Trial]:
    """So many for each step, seeds from 1 on, numbers of threads in turns."""
    return [
        Trial(step.file_in(REFERENCE), step, is_fault=True, seed=seed, threads=THREADS[seed % len(THREADS)])
        for seed in range(1, times + 1)
        for step in map(get_step, numbers)
    ]


def main(words: Sequence[str] | None = None, out: TextIO = sys.stdout) -> int:
    """Prints every check that failed, and how many runs there were; 1 where one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.steady", description=__doc__.partition("\n")[0])
    parser.add_argument("times", nargs="?", type=int, default=TIMES)
    parser.add_argument("steps", nargs="*", type=int, help="1 to 9; without one all of them")
    parser.add_argument("--jobs", type=int, default=JOBS)
    wish = parser.parse_args(words)
    os.environ["OMP_NUM_THREADS"] = "1"  # torch is not imported yet: a fork of a process with a pool of threads hangs
    os.environ["OMP_WAIT_POLICY"] = "passive"  # two threads that spin take turns with all the others
    waiting, failed, checks = trials(wish.times, wish.steps or range(1, 10)), 0, 0
    began = time.monotonic()

    def tell(verdict: Verdict) -> None:
        nonlocal failed, checks
        checks += len(verdict.passed)
        failed += bool(verdict.failed or verdict.ended)
        for check, text in verdict.failed.items():
            print(f"{verdict.name}: {check}: {text}", file=out, flush=True)
        if verdict.ended:
            print(f"{verdict.name}: {verdict.ended}", file=out, flush=True)

    run(waiting, tell, lambda: wish.jobs)
    told = f"{len(waiting) - failed} of {len(waiting)} runs passed, {checks} checks, {time.monotonic() - began:.0f} s"
    print(told, file=out, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as told, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what pytest has to say goes nowhere
        sys.exit(main(out=told))
