"""How text meets the terminal: its width, whether it may be coloured, which characters it can show.

Nothing is ever said by colour alone. What comes from a solution is made harmless first: it may hold control sequences.
"""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from kata.steps import ROOT

LABEL = 9  # the width of the column of labels
_JOINT = re.compile(r"(?<=\|>)|(?=<\|)|(?<=\\n)|(?<=[,;/(])")
_PLAINER = str.maketrans({"…": "...", "—": "-", "→": "->", "≥": ">=", "≤": "<="})


@dataclass(frozen=True)
class Look:
    """What the terminal can do, and how its user calls a verb."""

    width: int = 80  # for text: no line of it is wider, however wide the terminal is
    colour: bool = False
    make: bool = True
    columns: int = 80  # of the terminal

    @classmethod
    def of_terminal(cls, stream: TextIO, environment: dict[str, str]) -> "Look":
        colour = stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        if colour and os.name == "nt":
            os.system("")  # switches control sequences on, in a console of old
        columns = max(shutil.get_terminal_size().columns, 40)
        return cls(min(columns, 100), colour, "MAKELEVEL" in environment, columns)

    def verb(self, verb: str, number: int | None = None, option: str = "", value: str = "") -> str:
        """The command to type: `make check-3 FORCE=1`, or without make `python -m kata check 3 --force`."""
        if self.make:
            setting = f" {option.upper()}={value or 1}" if option else ""
            return f"make {verb}" + (f"-{number}" if number else "") + setting
        setting = f" --{option} {value}".rstrip() if option else ""
        return f"python -m kata {verb}" + (f" {number}" if number else "") + setting

    def good(self, text: str) -> str:
        return f"\x1b[1;32m{text}\x1b[0m" if self.colour else text

    def bad(self, text: str) -> str:
        return f"\x1b[1;31m{text}\x1b[0m" if self.colour else text

    def strong(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def labelled(self, label: str, text: str, most: int = 6) -> list[str]:
        """`  label    text`, wrapped beside its label, at most so many lines of it, made harmless."""
        lines = cut_lines(wrapped(harmless(text), self.width - 2 - LABEL), most)
        labels = [label] + [""] * len(lines)
        return [f"  {label:<{LABEL}}{line}".rstrip() for label, line in zip(labels, lines, strict=False)]

    def paragraph(self, text: str, indent: str = "", most: int = 8) -> list[str]:
        """The kata's own words, wrapped."""
        return [indent + line for line in cut_lines(wrapped(text, self.width - len(indent)), most)]


def harmless(text: str) -> str:
    """The text with every character that is not printable written as its escape; line ends stay."""
    shown = text.expandtabs(4).replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in shown)


class _Wrapper(textwrap.TextWrapper):
    """Breaks at spaces; a word that is longer than a line also beside control tokens, `\\n`s, commas, slashes."""

    def _split(self, text: str) -> list[str]:
        room = self.width - len(self.subsequent_indent)
        words = super()._split(text)
        return [part for word in words for part in (_JOINT.split(word) if len(word) > room else [word]) if part]


def wrapped(text: str, width: int) -> list[str]:
    """The text's lines, each wrapped; its own line ends are kept, and so are its spaces."""
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())][: width // 2]
        wrapper = _Wrapper(width, subsequent_indent=indent, replace_whitespace=False, break_on_hyphens=False)
        lines += wrapper.wrap(line) or [""]
    return lines


def cut_lines(lines: list[str], most: int) -> list[str]:
    """At most so many lines, the last of them telling how many are left out."""
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… {len(lines) - most + 1} more lines"]


def name_of(file: Path | str) -> str:
    """The file as it is called inside the project, else its whole path."""
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def say(lines: Iterable[str] | str, stream: TextIO | None = None, end: str = "\n") -> None:
    """Print lines, in plainer characters where the terminal's encoding has no others."""
    stream = stream or sys.stdout
    text = lines if isinstance(lines, str) else "\n".join(lines)
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAINER).encode(encoding, "backslashreplace").decode(encoding)
    print(text, file=stream, end=end, flush=True)
