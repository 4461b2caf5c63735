"""`watch`: from the write of the learner's file to the last line of its verdict, beside `import torch` in the same run.

In a copy of the project, on a learner's file of three kinds: a wrong solution (a fault of the zoo), the stub, and the
reference. Before it is measured, each kind is seen once: what a first verdict waits for is told apart.
"""

import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.cold import Tell, copy_of_the_project, faults_that_fail
from bench.measure import PROCESS_LIMIT_S, Unexpected, clean_environment, python_seconds
from kata.steps import REFERENCE, STEPS, Step
from kata.stubs import stub_of

KINDS = ("failing", "stub", "passing")
SAYS = {"failing": " failed", "stub": "not started", "passing": " passed"}
LAST = "watching "  # how the last line begins
REST_S = 0.1  # between a verdict and the next save: somebody reads it


@dataclass
class WatchTimes:
    """Seconds to a verdict on one step, by kind; `first_s` is from the start of `watch` to its first pass."""

    step: int
    torch_s: float
    first_s: float = 0.0
    seconds: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    trouble: str = ""

    @property
    def all(self) -> list[float]:
        return [reading for readings in self.seconds.values() for reading in readings]

    def median(self, kind: str | None = None) -> float:
        """Of one kind, or of all readings together."""
        return statistics.median(self.seconds[kind] if kind else self.all)

    def p95(self) -> float:
        """Nearest rank: one reading in twenty is slower."""
        ordered = sorted(self.all)
        return ordered[-(-95 * len(ordered) // 100) - 1]


def measure_watch(steps: list[int], rounds: int, tell: Tell) -> list[WatchTimes]:
    """Each step in a `watch` of its own. tell: is called with a line of progress."""
    with copy_of_the_project() as project:
        python_seconds("-c", "import torch")  # fills the disk cache
        return [_measure_step(step, project, rounds, tell) for step in STEPS if step.number in steps]


def _measure_step(step: Step, project: Path, rounds: int, tell: Tell) -> WatchTimes:
    tell(f"watch {step.number}")
    seen = WatchTimes(step.number, python_seconds("-c", "import torch"))
    reference, faults = step.file_in(REFERENCE).read_text(encoding="utf-8"), faults_that_fail(step)
    file = step.file_in(project / "exercises")
    file.write_text(reference, encoding="utf-8")
    began = time.perf_counter()
    with _Watched(step, project) as watched:
        try:
            watched.hear("passing")
            seen.first_s = time.perf_counter() - began
            for at in range(rounds + 1):
                sources = {
                    "failing": faults[at * len(faults) // (rounds + 1)],
                    "stub": stub_of(step),
                    "passing": reference,
                }
                for kind in KINDS:
                    time.sleep(REST_S)
                    saved = time.perf_counter()
                    file.write_text(sources[kind], encoding="utf-8")
                    watched.hear(kind)
                    if at:
                        seen.seconds[kind].append(time.perf_counter() - saved)
        except Unexpected as error:
            seen.trouble = str(error)
    return seen


class _Watched:
    """`python -m kata watch N` in the copy, read through a pipe."""

    def __init__(self, step: Step, project: Path) -> None:
        command = [sys.executable, "-m", "kata", "watch", str(step.number), "--force"]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(command, cwd=project, env=clean_environment(), encoding="utf-8", **pipes)

    def __enter__(self) -> "_Watched":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(PROCESS_LIMIT_S)
        self.process.stdout.close()

    def hear(self, kind: str) -> None:
        """A verdict, to its last line. `Unexpected` where it is another than this kind's."""
        told = []
        for line in self.process.stdout:
            told.append(line)
            if line.startswith(LAST):
                break
        text = " ".join("".join(told).split())
        if f"{SAYS[kind]}" not in text or not told or not told[-1].startswith(LAST):
            raise Unexpected(f"no verdict{SAYS[kind]}: {text[-200:]}")
