"""The files of the zoo: what each of them promises in its docstring, and whether a verdict keeps the promise.

A fault says `Caught by: test_…, test_…` (the first check that fails is one of them) and `Says: a phrase` (which stands
in the text of their failure). It may say `Like: other_fault`, of which it is another form, or `Unnamed: why`, where
other mistakes fail in the same words: `likeness.py`. A variant only says what is different about it.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from kata.expected import Check, checks_in
from kata.steps import TESTS, Step, get_step

FAULTS, VARIANTS = TESTS / "faults", TESTS / "variants"
UNCOVERED: dict[int, list[str]] = {}  # required checks for which no plausible wrong solution was found, by step
FIELD = re.compile(r"^(Caught by|Says|Like|Unnamed|Source): *(.*)$")


@dataclass(frozen=True)
class Specimen:
    """One file of the zoo and what its docstring promises."""

    path: Path
    step: Step
    is_fault: bool
    caught_by: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    sentence: str = ""  # the docstring's first paragraph: the misconception, or what is different
    like: str = ""  # the fault of which it is another form
    unnamed: str = ""  # why its failure does not tell it
    seed: int = 1  # before each check: which of two fails first may hang on chance, and is the same in every run
    threads: int = 1  # of torch

    @property
    def name(self) -> str:
        """Short and unique: `faults/step_04/feeds_everything`."""
        return self.path.relative_to(TESTS).with_suffix("").as_posix()

    @property
    def mistake(self) -> str:
        """The name that all forms of one mistake share."""
        return self.like or self.path.stem


@dataclass
class Verdict:
    """What the checks said: names of checks in the order in which they ran; failures with the failure's own text."""

    name: str
    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)  # of the failures, as `kata/looks_like.py` makes them
    skipped: list[str] = field(default_factory=list)
    ended: str = ""  # how the process ended, where it did not end by itself
    seconds: float = 0.0


class Outcome(StrEnum):
    """What became of a specimen. A fault is to be caught, a variant is to pass."""

    CAUGHT = "caught"
    BY_ANOTHER = "caught by another check"
    UNSAID = "caught without its phrase"
    SURVIVED = "survived"
    PASSED = "passed"
    REFUSED = "refused"

    @property
    def is_good(self) -> bool:
        return self in (Outcome.CAUGHT, Outcome.PASSED)


@dataclass(frozen=True)
class Judgement:
    """A verdict held against the specimen's promises: the outcome, and where it is no good one, why."""

    outcome: Outcome
    problems: tuple[str, ...] = ()


def specimen_paths(*places: Path) -> list[Path]:
    """The files of the zoo: all of them, or those at the places, in the order of the places."""
    found = [place.resolve() for place in places or (FAULTS, VARIANTS)]
    return [path for place in found for path in (sorted(place.rglob("*.py")) if place.is_dir() else [place])]


def read_specimen(path: Path) -> Specimen:
    """The file's step (from its folder) and its promises; `ValueError` that says what its docstring lacks."""
    is_fault = path.is_relative_to(FAULTS)
    step = get_step(int(path.parent.name.removeprefix("step_")))
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not docstring:
        raise ValueError(f"{path.name}: its first line must be a docstring that says what is wrong or different")
    fields = _fields(docstring)
    if is_fault and not (fields["Caught by"] and fields["Says"]):
        raise ValueError(f"{path.name}: a fault's docstring needs 'Caught by: test_…' and 'Says: a phrase'")
    names = tuple(name for text in fields["Caught by"] for name in re.split(r"[,\s]+", text) if name)
    like, unnamed = "".join(fields["Like"]), " ".join(fields["Unnamed"])
    if like and not _is_first_form(path.with_name(f"{like}.py")):
        raise ValueError(f"{path.name}: 'Like: {like}' names no fault of its step that is like no other")
    sentence = _plain(docstring.partition("\n\n")[0])
    return Specimen(path, step, is_fault, names, tuple(fields["Says"]), sentence, like, unnamed)


def _is_first_form(path: Path) -> bool:
    return path.exists() and re.search(r"^Like:", path.read_text(encoding="utf-8"), re.MULTILINE) is None


def is_readable(path: Path) -> bool:
    """Whether the file says what it must."""
    try:
        read_specimen(path)
    except (ValueError, SyntaxError):
        return False
    return True


def _fields(docstring: str) -> dict[str, list[str]]:
    """The marked lines of a docstring; an indented line goes on with the one above it."""
    fields: dict[str, list[str]] = {name: [] for name in ("Caught by", "Says", "Like", "Unnamed", "Source")}
    current: list[str] | None = None
    for line in docstring.splitlines():
        if match := FIELD.match(line):
            current = fields[match[1]]
            current.append(match[2].strip())
        elif current is not None and line.startswith(" "):
            current[-1] += " " + line.strip()
        else:
            current = None
    return fields


def required_checks(step: Step) -> list[str]:
    """The names of the checks that gate the next step, in the order of the file."""
    return [check.name for check in _checks(step) if not check.stretch]


def star_checks(step: Step) -> list[str]:
    """The names of those that earn a star."""
    return [check.name for check in _checks(step) if check.stretch]


@cache
def _checks(step: Step) -> list[Check]:
    return checks_in(step.test_file)


def judge(specimen: Specimen, verdict: Verdict) -> Judgement:
    """Whether the specimen proves what it promises."""
    if not verdict.passed and not verdict.failed:
        outcome = Outcome.SURVIVED if specimen.is_fault else Outcome.REFUSED
        return Judgement(outcome, (f"no check ran: {verdict.ended or 'nothing was collected'}",))
    return _judge_fault(specimen, verdict) if specimen.is_fault else _judge_variant(specimen, verdict)


def _judge_fault(specimen: Specimen, verdict: Verdict) -> Judgement:
    if not verdict.failed:
        return Judgement(Outcome.SURVIVED, ("no check fails: this wrong solution passes",))
    first, text = next(iter(verdict.failed.items()))
    if first not in specimen.caught_by:
        told = f"the first check that fails is {first}, which 'Caught by' does not name: {text}"
        return Judgement(Outcome.BY_ANOTHER, (told,))
    if missing := unsaid(specimen, verdict.failed):
        said = _said(specimen, verdict.failed)
        return Judgement(Outcome.UNSAID, tuple(f"no failure text says {phrase!r}: {said}" for phrase in missing))
    return Judgement(Outcome.CAUGHT)


def _judge_variant(specimen: Specimen, verdict: Verdict) -> Judgement:
    ran = {*verdict.passed, *verdict.failed}
    how = verdict.ended or "skipped, or not collected"
    problems = [f"{name} did not come to its end: {how}" for name in required_checks(specimen.step) if name not in ran]
    problems += [f"{check} fails: {text}" for check, text in verdict.failed.items()]
    return Judgement(Outcome.REFUSED if problems else Outcome.PASSED, tuple(problems))


def unsaid(specimen: Specimen, failed: Mapping[str, str]) -> list[str]:
    """The phrases that stand in no failure of the checks that the fault names."""
    said = _said(specimen, failed)
    return [phrase for phrase in specimen.says if _plain(phrase) not in said]


def _said(specimen: Specimen, failed: Mapping[str, str]) -> str:
    return _plain("\n".join(text for check, text in failed.items() if check in specimen.caught_by))


def _plain(text: str) -> str:
    return " ".join(text.split())
