"""The sessions in the lessons: which blocks of a page are run, on what, and how they are written anew.

A fence's first word says what it is. `python` with `>>>` is a session, and is run; `python` with `…` is the shape of
something, left open on purpose. `text` and `mermaid` are pictures. `sh` is for the shell.
After the model `tiny` has changed: `python -m tests.tools.sessions` puts the new output into the pages.
"""

import doctest
import re
from dataclasses import dataclass
from functools import cache
from inspect import isclass, isfunction
from pathlib import Path
from textwrap import wrap

from kata.solution import Solution
from kata.steps import EXERCISES, LAST_PAGE, REFERENCE, STEPS

PATH_PAGE = EXERCISES / "README.md"  # its session is what every other one begins with
PAGES = (*(step.lesson for step in STEPS), PATH_PAGE, LAST_PAGE)
WIDTH = 110
_FENCE = re.compile(r"^```(?P<kind>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Fence:
    """One fenced block. line: where its text begins in the page, counted from 0."""

    kind: str
    text: str
    line: int

    @property
    def is_session(self) -> bool:
        return self.kind == "python" and ">>>" in self.text


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8").replace("\r\n", "\n")


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a page, in order."""
    found = _FENCE.finditer(text)
    return [Fence(match["kind"], match["text"], text.count("\n", 0, match.start("text"))) for match in found]


def without_fences(text: str) -> str:
    return _FENCE.sub("", text)


def session_of(page: Path, names: dict[str, object] | None = None) -> doctest.DocTest:
    """All sessions of a page as one, so that a later block knows what an earlier one has made."""
    parser, examples = doctest.DocTestParser(), []
    for fence in fences(read(page)):
        if fence.is_session:
            for example in parser.get_examples(fence.text, page.name):
                example.lineno += fence.line
                examples.append(example)
    return doctest.DocTest(examples, names or {}, page.name, str(page), 0, None)


class Runner(doctest.DocTestRunner):
    """Runs a session; `failures` holds what came out otherwise: the example, and what came."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        self.failed: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        self.failed.append((example, got))

    def report_unexpected_exception(self, out: object, test: object, example: doctest.Example, info: tuple) -> None:
        self.failed.append((example, f"{info[0].__name__}: {info[1]}\n"))


def run(page: Path) -> list[tuple[doctest.Example, str]]:
    """What came out otherwise than the page says, with the model `tiny` and the reference's steps at hand."""
    runner = Runner()
    runner.run(session_of(page, {} if page == PATH_PAGE else dict(_at_hand())), clear_globs=False)
    return runner.failed


@cache
def _at_hand() -> dict[str, object]:
    """What the page of the path makes, and every function and class of the reference's steps."""
    opening = session_of(PATH_PAGE)
    Runner().run(opening, clear_globs=False)
    names = dict(opening.globs)
    solution = Solution.in_folder(REFERENCE)
    for step in STEPS:
        for name, value in vars(solution.load(step.number)).items():
            if (isclass(value) or isfunction(value)) and value.__module__.startswith(solution.package):
                names[name] = value
    return names


def renew(page: Path) -> int:
    """Put what comes out now into the page; how many examples have changed."""
    failed = run(page)
    lines = read(page).split("\n")
    for example, got in reversed(failed):
        start = example.lineno + example.source.count("\n")
        told = [part for line in got.removesuffix("\n").split("\n") for part in _wrapped(line)] if got else []
        lines[start : start + example.want.count("\n")] = told
    page.write_text("\n".join(lines), encoding="utf-8")
    return len(failed)


def _wrapped(line: str) -> list[str]:
    """A line of output as the page shows it: a long one goes on in the next, for white space is not compared."""
    if not line:
        return ["<BLANKLINE>"]
    return [line] if len(line) <= WIDTH else wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    for each in PAGES:
        print(f"{each.name}: {renew(each)} changed")
