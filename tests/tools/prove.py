"""`python -m kata prove [STEP]`: every wrong solution of the zoo is caught as it promises, and every right one passes.

It fails, with status 1, on a fault that survives, that a check catches which it does not name, or whose misconception
the text does not name; on a variant that is refused; on a required check that catches nothing; on a failure that would
be taken for that of another mistake; and with `--check` on a `MATRIX.md` or `looks_like.json` that is out of date. How
the checks are run is the zoo's affair.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from kata.look import Look, name_of, say
from kata.looks_like import TABLE
from kata.steps import STEPS, Step, get_step
from tests.tools import likeness
from tests.tools.matrix import MATRIX, is_current, matrix_text
from tests.tools.proof import COLUMNS, Proof, as_json
from tests.tools.schedule import PLACES
from tests.tools.specimens import Specimen, read_specimen, specimen_paths
from tests.tools.zoo import Zoo

STOPPED = 130
STATES = {
    "current": "still right: {}",
    "written": "written anew, to be committed: {}",
    "stale": "out of date, to be written by {verb}: {}",
}
LEGEND = "other: by a check that the fault does not name; unsaid: the text lacks the fault's phrase"


def prove(specimens: Sequence[Specimen], jobs: int) -> Proof:
    """Runs them all and shows on stderr how far it is."""
    proof, by_name, began = Proof(specimens), {one.name: one for one in specimens}, time.monotonic()
    zoo = Zoo(specimens, jobs)
    try:
        for verdict in zoo.verdicts():
            proof.take(by_name[verdict.name], verdict)
            _show_progress(proof, time.monotonic() - began)
    finally:
        zoo.close()
    proof.seconds = time.monotonic() - began
    return proof


def _show_progress(proof: Proof, seconds: float) -> None:
    """On a terminal a line that changes; elsewhere a line now and then."""
    done, all_of_them = len(proof.judged), len(proof.specimens)
    bad = sum(not judgement.outcome.is_good for judgement in proof.judged.values())
    told = f"{done} of {all_of_them} after {seconds:.0f} s" + (f", {bad} not as promised" if bad else "")
    if sys.stderr.isatty():
        print(f"\r{told}", end="\n" if done == all_of_them else "", file=sys.stderr, flush=True)
    elif done % 50 == 0 or done == all_of_them:
        print(told, file=sys.stderr, flush=True)


def settle_pages(proof: Proof, only_check: bool) -> None:
    """Writes page and table where the whole zoo holds; only looks at them with `--check`.

    For one step both are left alone. With `--check` the page is looked at all the same: it follows from the files.
    """
    everything = [read_specimen(path) for path in specimen_paths()]
    is_all = len(proof.specimens) == len(everything)
    if not only_check and not (proof.holds and is_all):
        return
    other = "stale" if only_check else "written"
    proof.matrix = "current" if is_current(everything) else other
    if is_all:
        proof.table = "current" if likeness.is_current(everything, proof.verdicts, TABLE) else other
    if not only_check:
        MATRIX.write_text(matrix_text(everything), encoding="utf-8", newline="\n")
        TABLE.write_text(likeness.table_text(everything, proof.verdicts), encoding="utf-8", newline="\n")


def report(proof: Proof, look: Look) -> list[str]:
    """The counts of each step, and whatever is not as it should be."""
    lines = ["step  " + " ".join(COLUMNS)]
    rows = [(str(step.number), proof.counts(step)) for step in proof.steps]
    for name, counts in [*rows, ("all", proof.counts())]:
        lines.append(f"{name:<5} " + " ".join(f"{counts[column]:>{len(column)}}" for column in COLUMNS))
    lines += ["", *look.paragraph(LEGEND)]
    for name, judgement in sorted(proof.judged.items()):
        if not judgement.outcome.is_good:
            lines += ["", *look.paragraph(f"{name}: {look.bad(judgement.outcome)}")]
            lines += [line for problem in judgement.problems for line in look.labelled("", problem, 20)]
    for step in proof.steps:
        lines += [f"step {step.number}: {check} is required and catches no fault" for check in proof.idle_checks(step)]
    for wrong in proof.wrong_names():
        lines += look.paragraph(wrong)
    if missing := len(proof.specimens) - len(proof.judged):
        lines.append(f"the zoo ended before its verdict on {missing} files")
    return [*lines, "", *look.paragraph(_names(proof)), *look.paragraph(_conclusion(proof, look))]


def _names(proof: Proof) -> str:
    counts, wrong = proof.counts(), len(proof.wrong_names())
    told = f"{len(proof.named())} of {counts['faults']} faults are named by their first failure; left out of the table "
    return f"{told}one at a time, {wrong or 'none'} would be given a wrong name"


def _conclusion(proof: Proof, look: Look) -> str:
    counts, pages = proof.counts(), {}
    for page, state in ((MATRIX, proof.matrix), (TABLE, proof.table)):
        pages.setdefault(state, []).append(name_of(page))
    told = f"{counts['caught']} of {counts['faults']} faults caught as promised, "
    told += f"{proof.accepted} of {counts['variants']} variants pass, {proof.seconds:.0f} s"
    for state, what in STATES.items():
        told += f"; {what.format(', '.join(pages[state]), verb=look.verb('prove'))}" if state in pages else ""
    return f"{'proved' if proof.passed else 'not proved'}: {told}"


def main() -> int:
    """0: proved, 1: not, 2: wrong use."""
    wish, look = _wish(), Look.of_terminal(sys.stdout, dict(os.environ))
    folders = (f"step_{wish.step.number:02d}",) if wish.step else ()
    try:
        specimens = [read_specimen(path) for path in _files(folders)]
    except (ValueError, SyntaxError) as error:
        print(error, file=sys.stderr)
        return 1
    try:
        proof = prove(specimens, wish.jobs)
    except KeyboardInterrupt:
        return STOPPED
    settle_pages(proof, wish.check)
    if wish.json:
        print(json.dumps(as_json(proof), indent=1, ensure_ascii=False))
    else:
        say(report(proof, look))
    return 0 if proof.passed else 1


def _files(folders: Sequence[str]) -> list[Path]:
    return [path for path in specimen_paths() if not folders or path.parent.name in folders]


def _wish() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m kata prove", description="Prove the checks on the zoo.")
    parser.add_argument("step", type=_step, nargs="?", help=f"1 to {len(STEPS)}; all of them without it")
    parser.add_argument("--jobs", type=_at_least_one, default=PLACES, metavar="N", help="so many at a time")
    parser.add_argument("--check", action="store_true", help="do not write MATRIX.md; fail where it is not current")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


def _step(text: str) -> Step:
    try:
        return get_step(int(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"there is no step {text}: the steps are 1 to {len(STEPS)}") from None


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number of processes")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
