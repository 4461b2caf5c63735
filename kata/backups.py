"""Puts a step's stub back, and keeps what the learner had under another name, always."""

import time
from dataclasses import dataclass
from pathlib import Path

from kata.files import write_atomically, write_new
from kata.progress import STATE
from kata.steps import EXERCISES, Step
from kata.stubs import is_stub, stub_of


@dataclass(frozen=True)
class Reset:
    """What a reset did: the backup, or None where there was nothing to keep."""

    backup: Path | None
    was_stub: bool = False


def reset(step: Step, folder: Path = EXERCISES, backups: Path = STATE / "backups") -> Reset:
    """The stub again, the learner's file kept. `OSError`: nothing was changed, for want of a backup or of the stub."""
    file = step.file_in(folder)
    if is_stub(file, step):
        return Reset(None, was_stub=True)
    stub = stub_of(step).encode("utf-8")
    backup = None
    if file.exists():
        moment = time.strftime("%Y-%m-%d-%H%M%S")
        backup = write_new(backups / f"{step.module}-{moment}.py", file.read_bytes())
    write_atomically(file, stub)
    return Reset(backup)
