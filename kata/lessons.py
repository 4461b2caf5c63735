"""Reads a step's lesson: what the step asks, in its first paragraph, and its ladder of hints."""

import re
from dataclasses import dataclass

from kata.steps import Step

_HINT = re.compile(r"^## Hint (?P<rung>\d+): *(?P<title>.+)$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,2} ", re.MULTILINE)


@dataclass(frozen=True)
class Hint:
    """One rung of the ladder."""

    rung: int
    title: str
    text: str


def hints_of(step: Step) -> list[Hint]:
    """The hints in their order; none where there is no lesson."""
    text = _text(step)
    hints = []
    for match in _HINT.finditer(text):
        end = _HEADING.search(text, match.end())
        body = text[match.end() : end.start() if end else len(text)]
        hints.append(Hint(int(match["rung"]), match["title"].strip(), body.strip()))
    return hints


def what_it_asks(step: Step) -> str:
    """The lesson's first paragraph in one line; empty where there is none."""
    paragraphs = re.split(r"\n\s*\n", _text(step))
    first = next((p for p in paragraphs if p.strip() and not p.lstrip().startswith("#")), "")
    return " ".join(first.split())


def _text(step: Step) -> str:
    try:
        return step.lesson.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, ValueError):
        return ""
