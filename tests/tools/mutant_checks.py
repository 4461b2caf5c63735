"""Runs the mutants of a reference step against the checks of that step, required ones and stars, in the zoo's way."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kata.steps import REFERENCE, Step, step_of_module
from tests.tools import schedule
from tests.tools.mutants import Mutant
from tests.tools.mutation import Fate
from tests.tools.specimens import Specimen, Verdict, required_checks, star_checks


@dataclass(frozen=True)
class Overlay(Specimen):
    """A mutant as the zoo takes it: a wrong solution that promises nothing."""

    number: int = 0

    @property
    def name(self) -> str:
        return f"{self.step.module}/{self.number}"


def step_of(file: str) -> Step | None:
    """The step whose reference the file is: `reference/step_05_metrics.py`."""
    path = Path(file)
    return step_of_module(path.stem) if path.parent.name == REFERENCE.name else None


def run(mutants: Sequence[Mutant], tell: Callable[[Fate], None], jobs: int) -> None:
    """Tells the fate of each mutant as it comes, so many processes at a time."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        overlays: dict[str, tuple[Overlay, Mutant]] = {}
        for number, mutant in enumerate(mutants):
            step = step_of(mutant.file)
            path = Path(folder, str(number), Path(mutant.file).name)
            path.parent.mkdir()
            path.write_text(mutant.text, encoding="utf-8")
            overlay = Overlay(path, step, is_fault=True, number=number)
            overlays[overlay.name] = overlay, mutant
        specimens = [overlay for overlay, _ in overlays.values()]
        schedule.run(specimens, lambda verdict: tell(_fate(*overlays[verdict.name], verdict)), lambda: jobs)


def _fate(overlay: Overlay, mutant: Mutant, verdict: Verdict) -> Fate:
    if verdict.failed:
        check, text = next(iter(verdict.failed.items()))
        return Fate(mutant, check, "Timeout (>" in text or text.startswith("stopped after"))
    left = {*required_checks(overlay.step), *star_checks(overlay.step)} - {*verdict.passed, *verdict.skipped}
    if left:
        how = verdict.ended or "nobody knows why"
        raise RuntimeError(
            f"{mutant.file}:{mutant.line}: {mutant.after}: no verdict of {', '.join(sorted(left))}: {how}"
        )
    return Fate(mutant)
