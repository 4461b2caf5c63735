"""What became of the mutants, held against the list of those that are equivalent; and the page `tests/MUTANTS.md`.

A mutant is *killed* where a check fails on it. One that survives must be listed as equivalent in
`tests/mutants/equivalent.toml`, with the reason; one that is listed must be there, and must survive.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kata.steps import TESTS
from tests.tools.mutants import Mutant

EQUIVALENT = TESTS / "mutants" / "equivalent.toml"
PAGE = TESTS / "MUTANTS.md"
COLUMNS = ("mutants", "killed", "timed out", "equivalent", "unexplained")
HEAD = """\
# The mutants

Written by `make mutate`, which makes and judges them, and fails where a line is not true; not to be edited.

A *mutant* is a file that a mutation tester has changed in one place: {tools},
which know nothing of the kata. A step's mutants meet the checks of that step, required ones and stars; those of the
kata's own files meet its own tests. A mutant is *killed* where one of them fails, or never ends. *Equivalent*: nothing
can fail on it that the lesson or the docstring promises; each is listed below with the reason, from
`mutants/equivalent.toml`. What only changes a docstring or the annotation of a function is no mutant."""


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: the check that failed on it, or none."""

    mutant: Mutant
    killed_by: str = ""
    timed_out: bool = False


@dataclass(frozen=True)
class Equivalent:
    """An entry of the list: the mutants of one line, or a few lines, that change nothing that is promised."""

    file: str
    where: str
    before: str
    after: tuple[str, ...]
    reason: str

    @property
    def keys(self) -> set[tuple[str, str, str, str]]:
        return {(self.file, self.where, self.before, after) for after in self.after}


@dataclass
class Account:
    """The fates of mutants and the list they are held against."""

    files: Sequence[str]
    listed: Sequence[Equivalent]
    fates: list[Fate] = field(default_factory=list)
    is_whole: bool = True  # all mutants of the files were judged
    broken: list[str] = field(default_factory=list)  # files that do not pass as they are: then nothing is proved

    @cached_property
    def keys(self) -> set[tuple[str, str, str, str]]:
        return {key for entry in self.listed for key in entry.keys}

    def of(self, file: str) -> list[Fate]:
        return [fate for fate in self.fates if fate.mutant.file == file]

    def counts(self, fates: Sequence[Fate]) -> dict[str, int]:
        """How many of what, by the names of the columns; those that timed out are among the killed."""
        survived = [fate for fate in fates if not fate.killed_by]
        explained = sum(fate.mutant.key in self.keys for fate in survived)
        figures = (len(fates), len(fates) - len(survived), sum(fate.timed_out for fate in fates), explained)
        return dict(zip(COLUMNS, (*figures, len(survived) - explained), strict=True))

    @property
    def unexplained(self) -> list[Mutant]:
        return [fate.mutant for fate in self.fates if not fate.killed_by and fate.mutant.key not in self.keys]

    @property
    def killed_all_the_same(self) -> list[Fate]:
        """Those that are listed as equivalent, and yet a check tells them from the original."""
        return [fate for fate in self.fates if fate.killed_by and fate.mutant.key in self.keys]

    @property
    def gone(self) -> list[tuple[str, str, str, str]]:
        """What is listed and is no mutant of the files any more."""
        there = {fate.mutant.key for fate in self.fates}
        return sorted(key for key in self.keys - there if key[0] in self.files) if self.is_whole else []

    @property
    def holds(self) -> bool:
        return not (self.broken or self.unexplained or self.killed_all_the_same or self.gone)


def read_equivalents(file: Path = EQUIVALENT) -> list[Equivalent]:
    """The list; `ValueError` that says which entry lacks what, or that says a thing twice."""
    entries, seen = [], set()
    for told in tomllib.loads(file.read_text(encoding="utf-8")).get("equivalent", []):
        after = told.get("after")
        values = [told.get(name) for name in ("file", "where", "before", "reason")]
        if not all(isinstance(value, str) and value for value in values) or not isinstance(after, list) or not after:
            raise ValueError(f"{file.name}: an entry needs file, where, before, reason, and after as a list: {told}")
        entry = Equivalent(told["file"], told["where"], told["before"], tuple(after), told["reason"])
        if len(entry.keys) < len(after) or entry.keys & seen:
            raise ValueError(f"{file.name}: listed twice: {told['before']}")
        seen |= entry.keys
        entries.append(entry)
    return entries


def page_text(rows: Mapping[str, Mapping[str, int]], listed: Sequence[Equivalent], tools: str) -> str:
    """The page, from the counts of each file: the same for the same tree and tools, however fast the machine is."""
    columns = [name for name in COLUMNS if name != "timed out"]
    table = [(f"`{file}`", *(counts[column] for column in columns)) for file, counts in rows.items()]
    table.append(("all", *(sum(counts[column] for counts in rows.values()) for column in columns)))
    lines = [HEAD.format(tools=tools), "", *_table(("file", *columns), table)]
    for file in rows:
        entries = [entry for entry in listed if entry.file == file]
        lines += ["", f"## {file}", ""] if entries else []
        for entry in entries:
            lines.append(f"- {entry.where}: `{entry.before}` {entry.reason}")
            lines += [f"  - `{text or 'nothing'}`" for text in entry.after]
    return "\n".join(lines) + "\n"


def rows_of(page: str) -> dict[str, dict[str, int]]:
    """The counts that stand on a page."""
    columns = [name for name in COLUMNS if name != "timed out"]
    rows = re.findall(r"^\| `(\S+)` \|(.+)\|$", page, re.MULTILINE)
    return {file: dict(zip(columns, map(int, counts.split("|")), strict=True)) for file, counts in rows}


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    return ["| " + " | ".join(map(str, line)) + " |" for line in (names, ["---"] * len(names), *rows)]
