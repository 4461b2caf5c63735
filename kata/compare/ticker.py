"""What is going on, for whoever waits: one line that moves on a terminal, else a line for each phase."""

import os
import time
from types import TracebackType
from typing import Self, TextIO

from kata.look import say


class Ticker:
    """Called with the phase, what runs in it, how many of its runs are done, and of how many."""

    def __init__(self, stream: TextIO, width: int) -> None:
        self.stream, self.width = stream, width
        self.moves = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._phase, self._began = "", 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.clear()

    def __call__(self, phase: str, what: str = "", done: int = 0, of: int = 0) -> None:
        if done == 0:
            self._began = time.monotonic()
        left = self._left(done, of)
        if self.moves:
            line = ", ".join(filter(None, [f"{phase}: {what}" if what else phase, left]))[: self.width - 1]
            say(f"\r{line:<{self.width - 1}}", self.stream, end="")
        elif phase != self._phase:
            say(f"{phase}{', ' if left else ''}{left}", self.stream)
        self._phase = phase

    def clear(self) -> None:
        """Take the moving line away."""
        if self.moves and self._phase:
            say("\r" + " " * (self.width - 1) + "\r", self.stream, end="")
        self._phase = ""

    def _left(self, done: int, of: int) -> str:
        """An estimate, once enough has run to make one."""
        if not done or done < min(of / 4, 6):
            return ""
        left = (time.monotonic() - self._began) / done * (of - done)
        return f"about {left:.0f} s left" if left >= 1 else ""
