"""Which failures tell which mistake: the table `kata/looks_like.json`, made of what a run of the zoo has seen.

A fault is named by its first failure. Two faults may fail in the very same words only where they are one mistake: one
of them says `Like: the_other`. Where a failure says less than the fault's sentence, it says `Unnamed: why`, and no
failure is known by it. How often a name would be wrong is measured by leaving out one fault at a time.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from kata.looks_like import TABLE
from tests.tools.specimens import Specimen, Verdict

SCHEMA = 1
Verdicts = Mapping[str, Verdict]  # by the specimen's name
Known = dict[tuple[int, str], str]  # step number and digest to the mistake, as the name of a file


def first_signature(verdict: Verdict | None) -> str:
    """Of the first check that failed; empty where none did, or where its failure is no judgement."""
    first = next(iter(verdict.failed), "") if verdict else ""
    return verdict.signatures.get(first, "") if first else ""


def known_by(specimens: Sequence[Specimen], verdicts: Verdicts) -> Known:
    """What each failure tells: those of one mistake only."""
    told: dict[tuple[int, str], set[str]] = defaultdict(set)
    for specimen in specimens:
        signature = first_signature(verdicts.get(specimen.name))
        if specimen.is_fault and signature and not specimen.unnamed:
            told[specimen.step.number, signature].add(specimen.mistake)
    return {key: mistakes.pop() for key, mistakes in told.items() if len(mistakes) == 1}


def named(specimens: Sequence[Specimen], verdicts: Verdicts) -> list[str]:
    """The faults that are known by their first failure."""
    known = known_by(specimens, verdicts)
    return [one.name for one in specimens if one.is_fault and _name_of(one, known, verdicts) == one.mistake]


def wrong_names(specimens: Sequence[Specimen], verdicts: Verdicts) -> list[str]:
    """What would be told wrongly, by a table that is made without the one that it names: a line for each."""
    wrong = []
    for specimen in specimens:
        of_step = [one for one in specimens if one.step is specimen.step and one is not specimen]
        name = _name_of(specimen, known_by(of_step, verdicts), verdicts)
        if name not in ("", specimen.mistake if specimen.is_fault else ""):
            wrong.append(f"{specimen.name} would be taken for {name}")
    return wrong


def _name_of(specimen: Specimen, known: Known, verdicts: Verdicts) -> str:
    return known.get((specimen.step.number, first_signature(verdicts.get(specimen.name))), "")


def sentences(specimens: Sequence[Specimen]) -> dict[tuple[int, str], str]:
    """Step number and mistake to what it is."""
    return {(one.step.number, one.path.stem): one.sentence for one in specimens if one.is_fault}


def table_text(specimens: Sequence[Specimen], verdicts: Verdicts) -> str:
    """The table as the file holds it."""
    told, steps = sentences(specimens), {str(one.step.number): {} for one in specimens}
    for (number, signature), mistake in sorted(known_by(specimens, verdicts).items()):
        steps[str(number)][signature] = told[number, mistake]
    return json.dumps({"schema": SCHEMA, "steps": dict(sorted(steps.items()))}, indent=1, ensure_ascii=False) + "\n"


def is_current(specimens: Sequence[Specimen], verdicts: Verdicts, table: Path = TABLE) -> bool:
    return table.exists() and table.read_text(encoding="utf-8") == table_text(specimens, verdicts)
