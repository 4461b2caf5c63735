"""Puts a step's stub back, or an earlier file of the learner's. What it replaces is kept under another name, always."""

import difflib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kata.files import write_atomically, write_new
from kata.progress import STATE
from kata.steps import EXERCISES, STEPS, Step
from kata.stubs import is_stub, stub_of

FOLDER = STATE / "backups"
_NAME = re.compile(r"step_(?P<number>0[1-9])_\w+?-(?P<moment>\d{4}-\d\d-\d\d-\d{6})(?P<again>-\d+)?")


class NotOne(ValueError):
    """What was asked for is no backup, or could be several: a line that says so, and names the nearest."""


@dataclass(frozen=True)
class Replaced:
    """What became of a step's file."""

    backup: Path | None  # None where there was nothing to keep
    was_so: bool = False  # nothing was to be done


@dataclass(frozen=True, order=True)
class Backup:
    """A file of the learner's as it was once."""

    moment: str  # 2026-01-31-180000
    again: int  # the second one of that moment is 2
    number: int
    file: Path

    @property
    def step(self) -> Step:
        return STEPS[self.number - 1]

    @property
    def name(self) -> str:
        """Short, and as good as the file's name: `4-2026-01-31-180000`."""
        return f"{self.number}-{self.moment}" + (f"-{self.again}" if self.again > 1 else "")

    @property
    def when(self) -> str:
        day, _, clock = self.moment.rpartition("-")
        return f"{day} {clock[:2]}:{clock[2:4]}"


def all_backups(folder: Path = FOLDER) -> list[Backup]:
    """The oldest first; files that no reset has named so are none."""
    return sorted(filter(None, map(as_backup, folder.glob("step_*.py"))))


def as_backup(file: Path) -> Backup | None:
    """The file as a backup, None where its name is not that of one."""
    if match := _NAME.fullmatch(file.stem):
        return Backup(match["moment"], int((match["again"] or "-1")[1:]), int(match["number"]), file)
    return None


def find(wanted: str, backups: Sequence[Backup]) -> Backup:
    """A step's number means its newest; else a backup's name, its file's name, or any part that only one has."""
    if re.fullmatch("[1-9]", wanted):
        found = [backup for backup in backups if backup.number == int(wanted)][-1:]
    else:
        part = Path(wanted).name.removesuffix(".py").lower()
        whole = [backup for backup in backups if part in (backup.name, backup.file.stem)]
        found = whole or [backup for backup in backups if part and any(part in name for name in _names(backup))]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotOne(f"{wanted!r} could be {len(found)} backups: {_some(found)}")
    nearest = f"; the nearest: {_some(_nearest(wanted, backups))}" if backups else ""
    raise NotOne(f"there is no backup {wanted!r}{nearest}")


def reset(step: Step, folder: Path = EXERCISES, backups: Path = FOLDER) -> Replaced:
    """The stub again, the learner's file kept. `OSError`: nothing was changed, for want of a backup or of the stub."""
    file = step.file_in(folder)
    if is_stub(file, step):
        return Replaced(None, was_so=True)
    stub = stub_of(step).encode("utf-8")
    backup = _keep(step, file, backups)
    write_atomically(file, stub)
    return Replaced(backup)


def restore(backup: Backup, folder: Path = EXERCISES, backups: Path = FOLDER) -> Replaced:
    """The backup is the step's file again; what stood there, if it was no stub, is kept. `OSError`: nothing changed."""
    file, data = backup.step.file_in(folder), backup.file.read_bytes()
    if file.exists() and file.read_bytes() == data:
        return Replaced(None, was_so=True)
    kept = None if is_stub(file, backup.step) else _keep(backup.step, file, backups)
    write_atomically(file, data)
    return Replaced(kept)


def _keep(step: Step, file: Path, backups: Path) -> Path | None:
    if not file.exists():
        return None
    return write_new(backups / f"{step.module}-{time.strftime('%Y-%m-%d-%H%M%S')}.py", file.read_bytes())


def _names(backup: Backup) -> tuple[str, str]:
    return backup.name, backup.file.stem


def _nearest(wanted: str, backups: Sequence[Backup]) -> list[Backup]:
    by_name = {name: backup for backup in backups for name in _names(backup)}
    close = [by_name[name] for name in difflib.get_close_matches(wanted, by_name, n=4, cutoff=0.3)]
    return list(dict.fromkeys(close)) or list(backups[-1:])


def _some(backups: Sequence[Backup]) -> str:
    return ", ".join(backup.name for backup in backups[:3]) + (", …" if len(backups) > 3 else "")
