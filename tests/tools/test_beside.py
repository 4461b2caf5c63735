"""The reference beside the learner's file: in two columns where there is room, readable without colour."""

import re

import pytest

from kata.beside import one_under_the_other, side_by_side
from kata.look import Look
from tests.tools.throwaway import Project

NAMES = ("mine.py", "its.py")
YOURS = "import a\n\n\ndef f(x):\n    y = x\n    return y + 1\n"
THEIRS = "import a\n\n\ndef f(x):\n    return x + 1\n    # done\n"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path / "kata")
    project.pass_steps(1)
    written = project.reference(1).replace("return x + 1", "y = 1 + x\n    return y")
    project.write(1, written)
    return project


def beside(yours: str, theirs: str, columns: int = 100, colour: bool = False) -> list[str]:
    return side_by_side(yours, theirs, NAMES, Look(100, colour, True, columns))


def halves(line: str, columns: int = 100) -> tuple[str, str, str]:
    room = (columns - 3) // 2
    return line[:room].strip(), line[room : room + 3].strip(), line[room + 3 :].strip()


def test_a_wide_terminal_has_them_side_by_side_and_a_narrow_one_under_each_other(project):
    told = project.kata("solution", "1", COLUMNS="100")
    assert told.status == 0 and ("return y", "|", "return x + 1") in map(halves, told.text.splitlines())
    assert "@@" not in told and max(map(len, told.text.splitlines())) <= 100
    told = project.kata("solution", "1", COLUMNS="99")
    assert "@@" in told and "- return y + return x + 1" in told and "+ return x + 1" in told


def test_every_line_is_marked_and_equal_ones_are_not():
    rows = [halves(line) for line in beside(YOURS, THEIRS)]
    assert rows[0] == ("yours, mine.py", "", "reference, its.py") and rows[3] == ("line 2", "", "line 2")
    assert ("def f(x):", "", "def f(x):") in rows
    assert rows[-4:] == [("y = x", "<", ""), ("return y + 1", "|", "return x + 1"), ("", ">", "# done"), ("", "", "")]
    assert ("", ">", "new") in [halves(line) for line in beside("a\n", "a\nnew\n")]
    assert ("old", "<", "") in [halves(line) for line in beside("a\nold\n", "a\n")]


def test_long_lines_go_on_in_their_own_column_under_the_same_mark():
    long = "    value = " + " + ".join(f"term_{number}" for number in range(30))
    lines = beside("x\n" + long, "x\n" + long.replace("term_7", "other"))
    assert all(len(line) <= 100 for line in lines)
    rows = [halves(line) for line in lines if line[49:50] == "|"]
    assert len(rows) > 5 and " ".join(row[0] for row in rows) == long.strip()


def test_wide_characters_take_two_columns_and_control_characters_are_shown():
    line = next(line for line in beside("# 位置\n", "# \x1b[2J\n") if "位" in line)
    assert line.index("|") == 48 + 1 - 2 and line.endswith("# \\x1b[2J")


def test_colour_only_repeats_the_marks():
    for show in (side_by_side, one_under_the_other):
        plain, coloured = (show(YOURS, THEIRS, NAMES, Look(100, colour, True, 100)) for colour in (False, True))
        assert coloured != plain and [COLOUR.sub("", line) for line in coloured] == plain


def test_the_same_text_is_told_as_such(project):
    project.write(1, project.reference(1).replace("\n", "\r\n"))
    assert "is the reference, word for word" in project.kata("solution", "1", COLUMNS="120")
