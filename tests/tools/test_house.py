"""The map of the runner names every room, and no room that is not there. Nor is there a line that nothing reaches."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import kata
from kata.steps import ROOT


def test_the_map_names_every_module_of_the_runner_once() -> None:
    rooms = re.findall(r"^ {4}(?:\S.{14}| {16})(.*)$", kata.__doc__, re.MULTILINE)
    named = [name for line in rooms for name in re.findall(r"\w+", line)]
    there = {
        path.stem for path in (ROOT / "kata").glob("*") if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert sorted(named) == sorted(there - {"__init__", "__main__"})


OURS = [path for name in ("kata", "shared", "reference", "bench", "tests/doubles", "tests/duel", "tests/tools")
        for path in sorted((ROOT / name).rglob("*.py"))] + sorted((ROOT / "tests").glob("*.py"))  # fmt: skip


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_line_is_without_effect(path: Path) -> None:
    """As the second half of a text is that lost its brackets, or what follows a `return`."""
    assert list(_idle_lines(path)) == []


def _idle_lines(path: Path) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for block in ("body", "orelse", "finalbody"):
            lines = getattr(node, block, None)
            for before, line in pairwise(lines if isinstance(lines, list) else ()):
                value = line.value if isinstance(line, ast.Expr) else None
                is_text = isinstance(value, ast.JoinedStr) or isinstance(getattr(value, "value", None), str)
                if is_text or isinstance(before, ast.Return | ast.Raise | ast.Break | ast.Continue):
                    yield line.lineno
