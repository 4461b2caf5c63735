"""What the checks of a step are at present, as a short text: it is another one when a newer kata asks for more.

It covers the file of checks, the doubles that its verdict rests on, and what step and checks use of `shared`. Comments,
docstrings (a check's sentence, its hint), blank lines and checks that are no part of a verdict do not count. It reads
the text as the formatter leaves it, and runs nothing.
"""

import functools
import hashlib
import re
from collections import Counter
from pathlib import Path

from kata.steps import REFERENCE, ROOT, Step

_DOCSTRING = re.compile(r'(?:\A|(?<=:\n))[ \t]*r?"""(?s:.*?)"""[ \t]*\n')
_NO_CODE = re.compile(r"^[ \t]*(#.*)?\n", re.MULTILINE)
_NOT_HERE = re.compile(r"(@.+\n)*@pytest\.mark\.(gpu|real)\b")
_FROM = re.compile(r"^[ \t]*from ((?:tests|shared)[.\w]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@functools.cache
def fingerprint_of(step: Step) -> str:
    """The fingerprint of a step's checks; empty where they cannot be read."""
    try:
        files = files_behind(step)
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{file.name}\n{_code_of(file)}\n".encode())
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()[:16]


def files_behind(step: Step) -> list[Path]:
    """The files that a verdict on the step rests on, in the order of their names; the reference's is not one."""
    waiting, found = [step.test_file, step.file_in(REFERENCE)], set()
    while waiting:
        file = waiting.pop()
        if file not in found and file.exists():
            found.add(file)
            waiting += _imported_by(file)
    found.discard(step.file_in(REFERENCE))
    return sorted({step.test_file, *found})


@functools.cache
def _code_of(file: Path) -> str:
    """The file's code, without what changes no verdict."""
    blocks = file.read_text(encoding="utf-8").split("\n\n\n")  # two blank lines stand before each definition
    code = "\n".join(block for block in blocks if not _NOT_HERE.match(block)) + "\n"
    return _NO_CODE.sub("", _DOCSTRING.sub("", code))


@functools.cache
def _imported_by(file: Path) -> tuple[Path, ...]:
    """The files of `tests` and `shared` that the file's code imports and uses."""
    code, found = _code_of(file), []
    words = Counter(re.findall(r"\w+", code))
    for match in _FROM.finditer(code):
        folder = ROOT.joinpath(*match[1].split("."))
        used = [name for name in re.findall(r"\w+", match[2]) if words[name] > 1]
        found += [folder.with_suffix(".py"), *(folder / f"{name}.py" for name in used)]
    return tuple(found)
