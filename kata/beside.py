"""The verb solution: the reference, and where it differs from the learner's file.

Side by side where the terminal has room for two columns, else one under the other; marks tell which is which, and
colour only repeats them.
"""

import difflib
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest

from kata import progress
from kata.look import Look, harmless, name_of, say
from kata.steps import EXERCISES, REFERENCE, get_step

WIDE = 100  # columns from which on two fit beside each other
_MARKS = ("# BEGIN SOLUTION", "# END SOLUTION")
_AROUND = 3  # equal lines shown around what differs
_ALIKE = 0.6  # from which share of common characters on two lines stand beside each other
_WRONG_USE = 2

Row = tuple[str, str, str]  # yours, the mark between, the reference's


def solution(number: int, yes: bool, look: Look) -> int:
    """The reference, as a difference from the learner's file where that has passed."""
    step = get_step(number)
    mine, its = step.file_in(EXERCISES), step.file_in(REFERENCE)
    passed = number in progress.load()[0].passed
    if not passed and not yes:
        say(look.paragraph(f"step {number} has not passed yet, and the reference is for afterwards"))
        say(look.labelled("hint", look.verb("hint", number)))
        say(look.labelled("or", look.verb("solution", number, "yes")))
        return _WRONG_USE
    theirs = _without_marks(its.read_text(encoding="utf-8"))
    yours = mine.read_text(encoding="utf-8", errors="replace") if passed and mine.exists() else ""
    if not yours:
        say([look.strong(name_of(its)), "", theirs])
    elif yours == theirs:
        say(look.paragraph(f"{name_of(mine)} is the reference, word for word"))
    else:
        show = side_by_side if look.columns >= WIDE else one_under_the_other
        say(show(yours, theirs, (name_of(mine), name_of(its)), look))
    return 0


def one_under_the_other(yours: str, theirs: str, names: tuple[str, str], look: Look) -> list[str]:
    """A unified difference: `-` is a line of yours, `+` one of the reference's."""
    lines = [f"- yours, {names[0]}", f"+ reference, {names[1]}", ""]
    found = difflib.unified_diff(_lines(yours), _lines(theirs), lineterm="", n=_AROUND)
    paint = {"-": look.bad, "+": look.good, "@": look.strong}
    return lines + [paint.get(line[:1], str)(line) for line in list(found)[2:]]


def side_by_side(yours: str, theirs: str, names: tuple[str, str], look: Look) -> list[str]:
    """Yours on the left, the reference on the right; `|` differs, `<` only yours has it, `>` only the reference."""
    room = (look.columns - 3) // 2
    lines = _row((f"yours, {names[0]}", " ", f"reference, {names[1]}"), room, look)
    lines += ["| differs   < only in yours   > only in the reference"]
    for rows in _hunks(_lines(yours), _lines(theirs)):
        lines += ["", *(line for row in rows for line in _row(row, room, look))]
    return lines


def _hunks(yours: list[str], theirs: list[str]) -> Iterator[list[Row]]:
    """What differs, with some equal lines around it; each begins with the numbers of its first lines."""
    for codes in difflib.SequenceMatcher(None, yours, theirs, autojunk=False).get_grouped_opcodes(_AROUND):
        rows: list[Row] = [(f"line {codes[0][1] + 1}", " ", f"line {codes[0][3] + 1}")]
        for tag, *(left, left_end, right, right_end) in codes:
            pairs = _pairs(yours[left:left_end], theirs[right:right_end])
            rows += [(mine or "", _mark(tag, mine, its), its or "") for mine, its in pairs]
        yield rows


def _pairs(yours: list[str], theirs: list[str]) -> list[tuple[str | None, str | None]]:
    """Lines beside each other: the two that are most alike, and so on above and below them; the rest in order."""
    alike = [(_likeness(a, b), -at, -by) for at, a in enumerate(yours) for by, b in enumerate(theirs)]
    best, at, by = max(alike, default=(0.0, 0, 0))
    if best < _ALIKE:
        return list(zip_longest(yours, theirs))
    at, by = -at, -by
    above, below = _pairs(yours[:at], theirs[:by]), _pairs(yours[at + 1 :], theirs[by + 1 :])
    return [*above, (yours[at], theirs[by]), *below]


def _likeness(mine: str, its: str) -> float:
    matcher = difflib.SequenceMatcher(None, mine.strip(), its.strip(), autojunk=False)
    return matcher.ratio() if mine.strip() and its.strip() and matcher.quick_ratio() >= _ALIKE else 0.0


def _mark(tag: str, mine: str | None, its: str | None) -> str:
    if tag == "equal":
        return " "
    return ">" if mine is None else "<" if its is None else "|"


def _row(row: Row, room: int, look: Look) -> list[str]:
    """A row as lines: what is too long for its column goes on below, under the same mark."""
    left, mark, right = row
    shown = {"<": look.bad, ">": look.good, "|": look.strong}.get(mark, str)(mark)
    pairs = zip_longest(_cut(left, room), _cut(right, room), fillvalue="")
    return [f"{mine}{' ' * (room - _width(mine))} {shown} {its}".rstrip() for mine, its in pairs]


def _cut(text: str, room: int) -> list[str]:
    """The text in pieces that are no wider than the room; those after the first are indented a little more."""
    indent = " " * min(len(text) - len(text.lstrip()) + 4, room // 2)
    pieces, piece = [], ""
    for character in text:
        if _width(piece) + _width(character) > room:
            at = piece.rfind(" ", len(indent) + 1) + 1 or len(piece)  # rather after a space
            pieces.append(piece[:at])
            piece = indent + piece[at:]
        piece += character
    return [*pieces, piece]


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _lines(text: str) -> list[str]:
    return harmless(text).split("\n")


def _without_marks(source: str) -> str:
    return "\n".join(line for line in source.splitlines() if not line.lstrip().startswith(_MARKS)) + "\n"
