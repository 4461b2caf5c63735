"""Notices that files are saved, by looking at them many times a second: no library, and on every file system.

A save is another time, size or identity; where times are too coarse for that (two saves within a second or two), it is
another content. A file that is gone or empty is believed only when it stays so: many editors save in two moves.
"""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from kata.source import digest_of

LOOKS_EVERY_S = 0.02
_RESTS_S = 0.005  # what is being written is looked at again
_BELIEVED_AFTER_S = 0.25
_COARSE_S = 3.0  # FAT counts in steps of two seconds

Sign = tuple[int, int, int] | None  # time, size, identity; None where there is no file


class Saves:
    """What has been saved since the last look."""

    def __init__(
        self,
        files: Iterable[Path],
        now: Callable[[], float] = time.monotonic,
        rest: Callable[[float], object] = time.sleep,
    ) -> None:
        self._now, self._rest = now, rest
        self._files = {file: _File(file, now()) for file in files}

    def look(self) -> list[Path]:
        """The files that were saved, deleted or brought back since; the one that was touched last comes last."""
        now = self._now()
        changed = [file for file in self._files.values() if file.has_changed(now)]
        if changed:
            self._let_settle(changed)
        return [file.path for file in sorted(changed, key=lambda file: file.sign or (0, 0, 0))]

    def _let_settle(self, changed: "list[_File]") -> None:
        """A write of many pieces, or a burst of saves: the last one within reach."""
        for _ in range(10):
            self._rest(_RESTS_S)
            if not any([file.moves() for file in changed]):
                return


class _File:
    """One file as it was when it was looked at last."""

    def __init__(self, path: Path, now: float) -> None:
        self.path, self.sign, self.digest = path, _sign_of(path), digest_of(path)
        self.changed_at, self.doubted_at = now, None

    def has_changed(self, now: float) -> bool:
        sign = _sign_of(self.path)
        if sign == self.sign:
            self.doubted_at = None
            if now - self.changed_at > _COARSE_S or digest_of(self.path) == self.digest:
                return False
        elif sign is None or sign[1] == 0:
            self.doubted_at = now if self.doubted_at is None else self.doubted_at
            if now - self.doubted_at < _BELIEVED_AFTER_S:
                return False
        self.sign, self.digest = sign, digest_of(self.path)
        self.changed_at, self.doubted_at = now, None
        return True

    def moves(self) -> bool:
        """Whether it is another than a moment ago."""
        sign = _sign_of(self.path)
        if sign == self.sign or sign is None or sign[1] == 0:
            return False
        self.sign, self.digest = sign, digest_of(self.path)
        return True


def _sign_of(path: Path) -> Sign:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
