"""Cold checks: from `python -m kata check N` to its verdict, as multiples of `import torch` in the same run.

Three kinds of solution, each the reference but for step N: a wrong one (a fault of the zoo), the stub, and the
reference itself. The runs of one step stand next to a reading of `import torch`, since the machine is never quiet.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import Spread, Unexpected, python_seconds
from kata.steps import REFERENCE, STEPS, TESTS, Step
from kata.stubs import stub_of

Tell = Callable[[str], None]


@dataclass(frozen=True)
class ColdChecks:
    """Seconds to the verdict on one step. A kind that could not be measured is None, and `trouble` says why."""

    step: int
    wrong: Spread | None
    stub: Spread | None
    passing: Spread | None
    trouble: tuple[str, ...]


def import_torch_seconds() -> float:
    """A fresh process that does nothing but `import torch`."""
    return python_seconds("-c", "import torch")


def measure_cold(steps: list[int], runs: int, tell: Tell) -> tuple[Spread, list[ColdChecks]]:
    """`import torch`, and the checks of each step, all cold. tell: is called with a line of progress."""
    import_torch_seconds()  # fills the disk cache, and writes bytecode
    torch_seconds = [import_torch_seconds() for _ in range(runs)]
    checks = []
    for step in (step for step in STEPS if step.number in steps):
        tell(f"cold check {step.number}")
        checks.append(_measure_step(step, runs))
        torch_seconds.append(import_torch_seconds())
    return Spread.of(torch_seconds), checks


def _measure_step(step: Step, runs: int) -> ColdChecks:
    trouble: list[str] = []

    def kind(sources: list[str], exit_code: int) -> Spread | None:
        try:
            return Spread.of([_check_seconds(step, source, exit_code) for source in sources])
        except Unexpected as error:
            trouble.append(str(error))
            return None

    python_seconds("-m", "kata", "check", str(step.number), "--impl", "reference")  # writes bytecode; not counted
    reference = step.file_in(REFERENCE).read_text(encoding="utf-8")
    faults = [file.read_text(encoding="utf-8") for file in _spread_out(_faults_of(step), runs)]
    return ColdChecks(
        step=step.number,
        wrong=kind(faults, exit_code=1) if faults else None,
        stub=kind([stub_of(step)] * runs, exit_code=1),
        passing=kind([reference] * runs, exit_code=0),
        trouble=tuple(trouble),
    )


def _check_seconds(step: Step, source: str, exit_code: int) -> float:
    with _solution_with(step, source) as folder:
        return python_seconds("-m", "kata", "check", str(step.number), "--impl", str(folder), exit_code=exit_code)


@contextmanager
def _solution_with(step: Step, source: str) -> Iterator[Path]:
    """A folder with the reference's nine files, that step's replaced by `source`."""
    with TemporaryDirectory(prefix="kata-bench-") as temporary:
        folder = Path(temporary)
        for other in STEPS:
            shutil.copy(other.file_in(REFERENCE), other.file_in(folder))
        step.file_in(folder).write_text(source, encoding="utf-8")
        yield folder


def _faults_of(step: Step) -> list[Path]:
    return sorted((TESTS / "faults" / f"step_{step.number:02d}").glob("*.py"))


def _spread_out(files: list[Path], count: int) -> list[Path]:
    """`count` of the files, evenly over the list: other faults fail at other checks, early and late."""
    return [files[at * len(files) // count] for at in range(count)] if files else []
