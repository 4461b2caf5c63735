"""Cold checks: from `python -m kata check N` to its verdict, as multiples of `import torch` in the same run.

They run in a copy of the project, on a learner's file of three kinds: a wrong solution (a fault of the zoo), the stub,
and the reference. A reading of `import torch` stands in every round, since the machine is never quiet.
"""

import ast
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import ROOT, Unexpected, python_seconds
from kata.expected import checks_in
from kata.spread import Spread
from kata.steps import REFERENCE, STEPS, TESTS, Step
from kata.stubs import stub_of

Tell = Callable[[str], None]
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")
PASSED, FAILED = 0, 1


@dataclass
class ColdChecks:
    """Seconds to the verdict on one step, beside `import torch` in the same rounds.

    A kind that could not be measured has no readings, and `trouble` says why.
    """

    step: int
    torch_s: list[float] = field(default_factory=list)
    wrong_s: list[float] = field(default_factory=list)
    stub_s: list[float] = field(default_factory=list)
    pass_s: list[float] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    def multiple(self, readings: list[float]) -> float | None:
        """The median of the readings in units of this step's `import torch`."""
        return Spread.of(readings).median / Spread.of(self.torch_s).median if readings else None


def measure_cold(steps: list[int], rounds: int, tell: Tell) -> list[ColdChecks]:
    """The checks of each step, all cold. tell: is called with a line of progress."""
    with copy_of_the_project() as project:
        _torch_seconds()  # fills the disk cache, and writes bytecode
        return [_measure_step(step, project, rounds, tell) for step in STEPS if step.number in steps]


def _measure_step(step: Step, project: Path, rounds: int, tell: Tell) -> ColdChecks:
    tell(f"cold check {step.number}")
    seen = ColdChecks(step.number)
    reference = step.file_in(REFERENCE).read_text(encoding="utf-8")
    faults = faults_that_fail(step)

    def take(readings: list[float], source: str, wanted: int) -> None:
        try:
            readings.append(_check_seconds(step, project, source, wanted))
        except Unexpected as error:
            seen.trouble.append(str(error))

    take([], reference, PASSED)  # not counted: it writes bytecode
    seen.trouble.clear()
    for at in range(rounds):
        seen.torch_s.append(_torch_seconds())
        if faults:  # evenly over the list: other faults fail at other checks, early and late
            take(seen.wrong_s, faults[at * len(faults) // rounds], FAILED)
        take(seen.stub_s, stub_of(step), FAILED)
        take(seen.pass_s, reference, PASSED)
    return seen


def faults_that_fail(step: Step) -> list[str]:
    """The texts of the step's wrong solutions that a required check must catch: a lost star is no failure."""
    required = {check.name for check in checks_in(step.test_file) if not check.stretch}
    folder = TESTS / "faults" / f"step_{step.number:02d}"
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.py"))]
    return [text for text in texts if required & set(re.findall(r"\w+", ast.get_docstring(ast.parse(text)) or ""))]


def _torch_seconds() -> float:
    """A fresh process that does nothing but `import torch`."""
    return python_seconds("-c", "import torch")


def _check_seconds(step: Step, project: Path, source: str, wanted: int) -> float:
    """The learner's file is `source`, nothing was checked before, and the earlier steps are the reference's."""
    shutil.rmtree(project / ".kata", ignore_errors=True)
    step.file_in(project / "exercises").write_text(source, encoding="utf-8")
    return python_seconds("-m", "kata", "check", str(step.number), "--force", exit_code=wanted, folder=project)


@contextmanager
def copy_of_the_project() -> Iterator[Path]:
    """The project in a folder that goes away again."""
    with TemporaryDirectory(prefix="kata-bench-") as temporary:
        project = Path(temporary) / "kata"
        shutil.copytree(ROOT, project, ignore=LEFT_OUT)
        yield project
