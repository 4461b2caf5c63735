"""`python -m kata mutate [STEP or FILE …]`: the checks against the mutants that cosmic-ray and mutmut make.

It fails, with status 1, on a mutant that survives and is not listed as equivalent, on one that is listed and is caught,
and on one that is listed and is not there. Otherwise it writes the counts of these files, by default of all, into
`MUTANTS.md`. How a mutant is judged is the affair of `mutant_checks` and `mutant_tests`.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TextIO

from kata.look import Look, name_of, say
from kata.steps import REFERENCE, ROOT, STEPS, get_step
from tests.tools import mutant_checks, mutant_tests
from tests.tools.mutants import Mutant, mutants_of, why_missing
from tests.tools.mutation import COLUMNS, EQUIVALENT, PAGE, Account, Fate, page_text, read_equivalents, rows_of
from tests.tools.schedule import JOBS

STOPPED = 130
UNCHANGED = "none"  # the operator of a file as it is
REFERENCES = tuple(name_of(step.file_in(REFERENCE)) for step in STEPS)
FILES = (*REFERENCES, *mutant_tests.TESTS_OF)


def judge(account: Account, texts: Mapping[str, str], mutants: Sequence[Mutant], jobs: int) -> None:
    """Runs them all, after the files as they are, which must pass; shows on stderr how far it is."""
    began = time.monotonic()

    def tell(fate: Fate) -> None:
        if fate.mutant.operator == UNCHANGED:
            account.broken += [f"{fate.mutant.file} as it is: {fate.killed_by} fails"] if fate.killed_by else []
            return
        account.fates.append(fate)
        done = len(account.fates)
        seconds = time.monotonic() - began
        told = f"{done} of {len(mutants)} after {seconds:.0f} s, {len(account.unexplained)} unexplained"
        if sys.stderr.isatty():
            print(f"\r{told}", end="\n" if done == len(mutants) else "", file=sys.stderr, flush=True)
        elif done % 50 == 0 or done == len(mutants):
            print(told, file=sys.stderr, flush=True)

    all_of_them = [*(Mutant(file, UNCHANGED, text, 1, "module", "", "") for file, text in texts.items()), *mutants]
    of_steps = [mutant for mutant in all_of_them if mutant.file in REFERENCES]
    others = [mutant for mutant in all_of_them if mutant.file not in REFERENCES]
    for run, some in ((mutant_tests.run, others), (mutant_checks.run, of_steps)):
        if some:
            run(some, tell, jobs)


def report(account: Account, look: Look) -> list[str]:
    """The counts of each file, and whatever is not as it should be."""
    width = max(len(file) for file in account.files)
    lines = [" " * width + "  " + " ".join(COLUMNS)]
    for name, fates in [*((file, account.of(file)) for file in account.files), ("all", account.fates)]:
        counts = account.counts(fates)
        lines.append(f"{name:<{width}}  " + " ".join(f"{counts[column]:>{len(column)}}" for column in COLUMNS))
    for mutant in sorted(account.unexplained, key=lambda mutant: (account.files.index(mutant.file), mutant.line)):
        told = f"{mutant.file}:{mutant.line}, {mutant.where}, {mutant.operator}: {look.bad('survived')}"
        lines += ["", *look.paragraph(told), *look.labelled("was", mutant.before), *look.labelled("is", mutant.after)]
    lines += ["", *account.broken] if account.broken else []
    for fate in account.killed_all_the_same:
        told = f"{fate.mutant.file}:{fate.mutant.line}: listed as equivalent, and yet {fate.killed_by} fails on it"
        lines += ["", *look.paragraph(told), *look.labelled("is", fate.mutant.after)]
    for file, where, before, after in account.gone:
        told = f"{file}, {where}: listed as equivalent, and no mutant any more"
        lines += ["", *look.paragraph(told), *look.labelled("was", before), *look.labelled("is", after)]
    return lines


def main() -> int:
    """0: all is killed or explained, 1: not, 2: wrong use, or the tools are missing."""
    wish, look = _wish(), Look.of_terminal(sys.stdout, dict(os.environ))
    if missing := why_missing():
        say(missing, sys.stderr)
        return 2
    account = Account(wish.files or FILES, read_equivalents(), is_whole=not wish.only)
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in account.files}
    mutants = [mutant for file, text in texts.items() for mutant in mutants_of(file, text)]
    mutants = [mutant for mutant in mutants if wish.only in mutant.before + "\n" + mutant.after]
    os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: sys.exit(STOPPED))  # on the way out what runs is ended
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what pytest has to say goes nowhere
        judge(account, texts, mutants, wish.jobs)
        _tell(account, look, out)
    if account.holds and account.is_whole:
        write_page(account)
    return 0 if account.holds else 1


def write_page(account: Account) -> None:
    """The page with the new counts of these files; those of the others stay as they are."""
    rows = rows_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    rows |= {file: account.counts(account.of(file)) for file in account.files}
    rows = {file: rows[file] for file in FILES if file in rows}
    tools = f"cosmic-ray {version('cosmic-ray')} and mutmut {version('mutmut')}"
    PAGE.write_text(page_text(rows, account.listed, tools), encoding="utf-8", newline="\n")


def _tell(account: Account, look: Look, out: TextIO) -> None:
    say(report(account, look), out)
    told = f"a survivor is killed by a better check, or listed with its reason in {name_of(EQUIVALENT)}"
    say(["", *look.paragraph("every mutant is killed or explained" if account.holds else told)], out)


def _wish() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m kata mutate", description="Try the checks on mutants.")
    parser.add_argument("files", type=_file, nargs="*", metavar="STEP or FILE", help="all of them without it")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants of, or to, lines that contain it")
    parser.add_argument("--jobs", type=int, default=JOBS, metavar="N", help="so many at a time")
    return parser.parse_args()


def _file(text: str) -> str:
    if text.isdecimal() and 1 <= int(text) <= len(STEPS):
        return name_of(get_step(int(text)).file_in(REFERENCE))
    if text not in FILES:
        raise argparse.ArgumentTypeError(f"{text} is neither a step, 1 to {len(STEPS)}, nor one of {', '.join(FILES)}")
    return text


if __name__ == "__main__":
    sys.exit(main())
