"""Reads a step's lesson: what the step is about, its first paragraph, and its ladder of hints."""

import re
from dataclasses import dataclass

from kata.steps import Step

_HINT = re.compile(r"^## Hint (?P<rung>\d+): *(?P<title>.+)$", re.MULTILINE)
_LIST_ITEM = re.compile(r" {0,3}([-*]|\d+\.) ")
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
        hints.append(Hint(int(match["rung"]), match["title"].strip(), body.strip("\n")))
    return hints


def title_of(step: Step) -> str:
    """The lesson's first line; empty where there is no lesson."""
    return _text(step).partition("\n")[0]


def what_it_is_about(step: Step) -> str:
    """The lesson's first paragraph, in one line; empty where there is none."""
    paragraphs = re.split(r"\n\s*\n", _text(step))
    first = next((p for p in paragraphs if p.strip() and not p.lstrip().startswith("#")), "")
    return " ".join(first.split())


def paragraphs(text: str) -> list[tuple[str, bool]]:
    """The text's paragraphs and list items, each in one line; lines of code stay as they are and are marked True."""
    found: list[tuple[str, bool]] = []
    fenced, flowing = False, False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced, flowing = not fenced, False
        elif fenced or (line.startswith("    ") and not flowing):
            found.append((line, True))
        elif flowing and line.strip() and not _LIST_ITEM.match(line):
            found[-1] = (f"{found[-1][0]} {line.strip()}", False)
        else:
            found.append((line, False))
            flowing = bool(line.strip())
    return found


def _text(step: Step) -> str:
    try:
        return step.lesson.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, ValueError):
        return ""
