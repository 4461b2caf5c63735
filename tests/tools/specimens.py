"""The files of the zoo: what each of them promises in its docstring, and whether a verdict keeps the promise.

A fault says `Caught by: test_…, test_…` (the first check that fails is one of them) and `Says: a phrase` (which stands
in the text of their failure). A variant only says what is different about it.
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from kata.expected import checks_in
from kata.steps import TESTS, Step, get_step

FAULTS, VARIANTS = TESTS / "faults", TESTS / "variants"
FIELD = re.compile(r"^(Caught by|Says|Source): *(.*)$")


@dataclass(frozen=True)
class Specimen:
    """One file of the zoo and what its docstring promises."""

    path: Path
    step: Step
    is_fault: bool
    caught_by: tuple[str, ...] = ()
    says: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Short and unique: `faults/step_04/feeds_everything`."""
        return self.path.relative_to(TESTS).with_suffix("").as_posix()


@dataclass
class Verdict:
    """What the checks said: names of checks in the order in which they ran; failures with the failure's own text."""

    name: str
    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    ended: str = ""  # how the process ended, where it did not end by itself
    seconds: float = 0.0


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
    return Specimen(path, step, is_fault, names, tuple(fields["Says"]))


def _fields(docstring: str) -> dict[str, list[str]]:
    """The marked lines of a docstring; an indented line goes on with the one above it."""
    fields: dict[str, list[str]] = {"Caught by": [], "Says": [], "Source": []}
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
    return [check.name for check in checks_in(step.test_file) if not check.stretch]


def problems(specimen: Specimen, verdict: Verdict) -> list[str]:
    """Why the specimen does not prove what it promises; nothing where it does."""
    if not verdict.passed and not verdict.failed:
        return [f"no check ran: {verdict.ended or 'nothing was collected'}"]
    if not specimen.is_fault:
        unproved = [
            name for name in required_checks(specimen.step) if name not in verdict.passed and name not in verdict.failed
        ]
        missing = [
            f"{name} did not come to its end: {verdict.ended or 'skipped, or not collected'}" for name in unproved
        ]
        return missing + [f"{check} fails: {text}" for check, text in verdict.failed.items()]
    if not verdict.failed:
        return ["no check fails: this wrong solution passes"]
    first, first_text = next(iter(verdict.failed.items()))
    if first not in specimen.caught_by:
        return [f"the first check that fails is {first}, which 'Caught by' does not name: {first_text}"]
    said = _plain("\n".join(text for check, text in verdict.failed.items() if check in specimen.caught_by))
    return [f"no failure text says {phrase!r}: {said}" for phrase in specimen.says if _plain(phrase) not in said]


def _plain(text: str) -> str:
    return " ".join(text.split())
