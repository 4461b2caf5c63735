"""The lines around a verdict of `watch`: what is watched, and which keys there are."""

import time

from kata.look import Look, name_of
from kata.steps import EXERCISES, Step

KEYS = (
    ("h", "hint", "the next hint"),
    ("n", "next", "on to the next step, once this one has passed"),
    ("l", "list", "the path of nine, and where you are on it"),
    ("a", "all", "check again, and tell every failure"),
    ("r", "reset", "the stub again; your file is kept as a backup"),
    ("space", "again", "check again; so does Enter"),
    ("q", "quit", "leave; so does Ctrl-C"),
    ("?", "help", "this list"),
)
_WHERE_NARROW = ("h", "n", "l", "q", "?")


def last_lines(step: Step, next_step: Step | None, has_keys: bool, look: Look) -> list[str]:
    """What stands below every verdict. next_step: the one that is open now, where this one has passed."""
    watching = f"watching {name_of(step.file_in(EXERCISES))}, checked at {time.strftime('%H:%M:%S')}"
    if not has_keys:
        return look.paragraph(watching)
    lines = look.paragraph(f"n goes on to step {next_step.number}: {next_step.title}") if next_step else []
    keys = "  ".join(f"{key} {name}" for key, name, _ in KEYS)
    if len(keys) > look.width:
        keys = "  ".join(f"{key} {name}" for key, name, _ in KEYS if key in _WHERE_NARROW)
    return [*lines, *look.paragraph(watching), keys]


def help_lines(look: Look) -> list[str]:
    """Every key, and what it does."""
    return [line for key, _, does in KEYS for line in look.labelled(key, does)]
