"""The page `tests/MATRIX.md`: which check catches which wrong solution, as the zoo's files promise it.

The page follows from the files alone, so that one tree has one page. Whether the promises are kept is proved elsewhere:
`make prove` writes the page only when they are.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kata.steps import TESTS, Step
from tests.duel.servers import BROKEN_SERVERS, RIGHT_SERVERS
from tests.tools.specimens import Specimen, star_checks

MATRIX = TESTS / "MATRIX.md"
HEAD = """\
# What catches what

Written by `make prove`, which runs all of it and fails where a line is not true; not to be edited.

A *fault* is a wrong solution. The first check that fails on it is the one that stands beside it, and the text of the
failure names the misconception. `star`: the check never blocks the next step, so the fault passes what is required. A
*variant* is a right solution written otherwise: it passes every required check. The names are those of the files in
`faults/step_NN/` and `variants/step_NN/`."""


def matrix_text(specimens: Sequence[Specimen]) -> str:
    """The page for these specimens."""
    steps = sorted({specimen.step for specimen in specimens}, key=lambda step: step.number)
    rows = [_counts(step, specimens) for step in steps]
    sums = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    names = ("step", "faults", "caught by a required check", "caught by a star's", "variants")
    lines = [HEAD, "", *_table(names, [*rows, ("all", *sums)])]
    for step in steps:
        lines += ["", f"## {step.number}. {step.title}", "", *_faults(step, specimens), "", *_variants(step, specimens)]
        lines += ["", *_duel()] if step.number == 9 else []
    return "\n".join(lines) + "\n"


def is_current(specimens: Sequence[Specimen], page: Path = MATRIX) -> bool:
    """Whether the page is there and is what the files say."""
    return page.exists() and page.read_text(encoding="utf-8") == matrix_text(specimens)


def _counts(step: Step, specimens: Sequence[Specimen]) -> tuple[int, ...]:
    faults = [specimen for specimen in _of(step, specimens) if specimen.is_fault]
    stars = sum(_kind(fault) == "star" for fault in faults)
    variants = len(_of(step, specimens)) - len(faults)
    return step.number, len(faults), len(faults) - stars, stars, variants


def _of(step: Step, specimens: Sequence[Specimen]) -> list[Specimen]:
    return sorted((one for one in specimens if one.step is step), key=lambda one: one.path.stem)


def _faults(step: Step, specimens: Sequence[Specimen]) -> list[str]:
    faults = [specimen for specimen in _of(step, specimens) if specimen.is_fault]
    rows = [(one.path.stem, one.sentence, " or ".join(one.caught_by), _kind(one)) for one in faults]
    return _table(("fault", "what is wrong", "caught by", ""), rows)


def _variants(step: Step, specimens: Sequence[Specimen]) -> list[str]:
    variants = [specimen for specimen in _of(step, specimens) if not specimen.is_fault]
    return _table(("variant", "what is different"), [(one.path.stem, one.sentence) for one in variants])


def _duel() -> list[str]:
    rows = [("right", len(RIGHT_SERVERS), "; ".join(server.name for server in RIGHT_SERVERS))]
    for kind in Counter(server.kind for server in BROKEN_SERVERS):
        names = [server.name for server in BROKEN_SERVERS if server.kind == kind]
        rows.append((f"broken: {kind}", len(names), "; ".join(names)))
    told = f"The duel has {len(RIGHT_SERVERS)} right servers and {len(BROKEN_SERVERS)} broken ones:"
    return [told, "", *_table(("kind", "servers", "which"), rows)]


def _kind(fault: Specimen) -> str:
    """`star` where nothing but stars is lost."""
    return "star" if set(fault.caught_by) <= set(star_checks(fault.step)) else "required"


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    lines = [names, ["---"] * len(names), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]
