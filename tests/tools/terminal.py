"""A terminal of its own for a program, as a person has it: what is typed there, Ctrl-C too, is truly typed."""

import os
import select
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

_OWN = (
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGHUP, signal.SIG_DFL); "  # under nohup it would be deaf to it
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


class Terminal:
    """`python WORDS` in a terminal."""

    def __init__(self, *words: str, cwd: Path, environment: Mapping[str, str]) -> None:
        self.master, self.slave = os.openpty()
        command = [sys.executable, "-c", _OWN, *words]
        ends = {"stdin": self.slave, "stdout": self.slave, "stderr": self.slave}
        self.process = subprocess.Popen(command, cwd=cwd, env=environment, start_new_session=True, **ends)
        self.unread = ""

    def type_after(self, words: str, typed: str = "") -> str:
        """Type once these words are there; what was shown up to their end."""
        while words not in self.unread:
            if select.select([self.master], [], [], 0.5)[0]:
                self.unread += os.read(self.master, 1 << 16).decode()
            elif self.process.poll() is not None:
                raise AssertionError(f"it has ended, and never said {words!r}; its last words: {self.unread[-500:]}")
        before, _, self.unread = self.unread.partition(words)
        self.type(typed)
        return before + words

    def type(self, typed: str) -> None:
        os.write(self.master, typed.encode())

    def settings(self) -> list:
        """The terminal's modes, as `stty` tells them."""
        return termios.tcgetattr(self.slave)

    def wait(self) -> int:
        """The exit status; what is still shown goes unread."""
        while self.process.poll() is None:
            if select.select([self.master], [], [], 0.05)[0]:
                os.read(self.master, 1 << 16)
        return self.process.returncode

    def close(self) -> None:
        self.process.kill()
        self.process.wait(timeout=60)
        os.close(self.master)
        os.close(self.slave)
