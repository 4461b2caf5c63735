"""Writes files so that a crash leaves the old content or the new, never half of it."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path


def write_atomically(file: Path, data: bytes) -> None:
    """Replace the file's content; its folder is made where it is missing. `OSError` leaves what was there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with open(handle, "wb") as temporary:
            temporary.write(data)
            temporary.flush()
            os.fsync(temporary.fileno())
        with contextlib.suppress(OSError):  # the temporary file is private; the one that it replaces need not be
            os.chmod(name, file.stat().st_mode & 0o777 if file.exists() else 0o644)
        _replace(name, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _replace(name: str, file: Path) -> None:
    for _ in range(10):
        try:
            return os.replace(name, file)
        except PermissionError:
            if os.name != "nt":
                raise
            time.sleep(0.05)  # Windows: a virus scanner or an editor holds the file for a moment
    return os.replace(name, file)


def write_new(file: Path, data: bytes) -> Path:
    """Write a file that is not there yet: `name.py`, else `name-2.py`, and so on. Its path; nothing is overwritten."""
    file.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = file if number == 1 else file.with_name(f"{file.stem}-{number}{file.suffix}")
        try:
            with open(path, "xb") as fresh:
                fresh.write(data)
                fresh.flush()
                os.fsync(fresh.fileno())
            return path
        except FileExistsError:
            number += 1


def newest(folders: Iterable[Path], ending: str = ".py") -> tuple[int, int]:
    """How many such files lie in the folders, and when the one that changed last did: another pair, another content."""
    times = []
    for folder in folders:
        with contextlib.suppress(OSError):
            times += [entry.stat().st_mtime_ns for entry in os.scandir(folder) if entry.name.endswith(ending)]
    return len(times), max(times, default=0)
