"""What came of running the zoo: verdicts and judgements, counted, and told as JSON."""

import hashlib
import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from kata.steps import Step
from tests.tools import likeness
from tests.tools.specimens import UNCOVERED, Judgement, Outcome, Specimen, Verdict, judge, required_checks

SCHEMA = 1
COLUMNS = ("faults", "caught", "other", "unsaid", "survived", "variants", "refused")
LIBRARIES = ("torch", "transformers", "fastapi", "pydantic", "pytest")


@dataclass
class Proof:
    """A run of the zoo, or of one step's part of it; verdicts and judgements by the specimen's name."""

    specimens: Sequence[Specimen]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    judged: dict[str, Judgement] = field(default_factory=dict)
    seconds: float = 0.0
    matrix: str = ""  # current, written, stale; "" where nobody looked
    table: str = ""  # of the failures that tell a mistake; in the same words

    @property
    def steps(self) -> list[Step]:
        return sorted({specimen.step for specimen in self.specimens}, key=lambda step: step.number)

    @property
    def holds(self) -> bool:
        """Whether everything is proved, the page aside."""
        is_whole = len(self.judged) == len(self.specimens)
        idle = any(self.idle_checks(step) for step in self.steps)
        are_good = all(judgement.outcome.is_good for judgement in self.judged.values())
        return is_whole and not idle and are_good and not self.wrong_names()

    @property
    def passed(self) -> bool:
        return self.holds and "stale" not in (self.matrix, self.table)

    def named(self) -> list[str]:
        """The faults that are known by their first failure."""
        return likeness.named(self.specimens, self.verdicts)

    def wrong_names(self) -> list[str]:
        """What would be told wrongly of a fault that is left out, or of a variant: a line for each."""
        return likeness.wrong_names(self.specimens, self.verdicts)

    def take(self, specimen: Specimen, verdict: Verdict) -> None:
        self.verdicts[verdict.name], self.judged[verdict.name] = verdict, judge(specimen, verdict)

    @property
    def accepted(self) -> int:
        """How many variants pass."""
        return sum(judgement.outcome is Outcome.PASSED for judgement in self.judged.values())

    def counts(self, step: Step | None = None) -> dict[str, int]:
        """How many of what, by the names of the columns; of all steps where none is given."""
        of_step = [one for one in self.specimens if step in (None, one.step)]
        met = Counter(self.judged[one.name].outcome for one in of_step if one.name in self.judged)
        faults = sum(one.is_fault for one in of_step)
        outcomes = (Outcome.CAUGHT, Outcome.BY_ANOTHER, Outcome.UNSAID, Outcome.SURVIVED)
        figures = (faults, *(met[one] for one in outcomes), len(of_step) - faults, met[Outcome.REFUSED])
        return dict(zip(COLUMNS, figures, strict=True))

    def idle_checks(self, step: Step) -> list[str]:
        """The required checks that no fault has failed."""
        of_step = {one.name for one in self.specimens if one.step is step and one.is_fault}
        failed = {check for name in of_step & self.verdicts.keys() for check in self.verdicts[name].failed}
        return [check for check in required_checks(step) if check not in failed | set(UNCOVERED.get(step.number, ()))]


def as_json(proof: Proof) -> dict:
    """For a machine: the same counts, and each specimen with its outcome."""
    steps = [{"step": step.number, **proof.counts(step), "idle": proof.idle_checks(step)} for step in proof.steps]
    specimens = [_specimen_as_json(one, proof) for one in proof.specimens if one.name in proof.judged]
    versions = {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
    facts = {"schema": SCHEMA, "verb": "prove", "passed": proof.passed}
    pages = {"matrix": proof.matrix or None, "table": proof.table or None}
    names = {"named": len(proof.named()), "wrong_names": proof.wrong_names()}
    times = {"duration_s": round(proof.seconds, 2), "versions": versions}
    return facts | pages | names | times | {"all": proof.counts(), "steps": steps, "specimens": specimens}


def _specimen_as_json(specimen: Specimen, proof: Proof) -> dict:
    verdict, judgement = proof.verdicts[specimen.name], proof.judged[specimen.name]
    return {
        "name": specimen.name,
        "step": specimen.step.number,
        "kind": "fault" if specimen.is_fault else "variant",
        "outcome": judgement.outcome,
        "problems": judgement.problems,
        "failed": [{"check": check, "message": text} for check, text in verdict.failed.items()],
        "duration_s": verdict.seconds,
        "sha256": hashlib.sha256(specimen.path.read_bytes()).hexdigest(),
    }
