"""A process that runs checks: orders go in as one line, what it prints comes out, and it ends with all it has started.

It gets a group of its own for that, or on Windows is ended as a tree. It knows nothing of what the orders say.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol


class Child(Protocol):
    """A process that waits for its orders."""

    orders: Mapping[str, object]  # what is to be said to it besides what every run says

    def order(self, line: bytes) -> None:
        """Say what is to be done. It may be dead already: then nothing comes of it."""

    def read(self) -> bytes:
        """What it has printed since; waits for it. Empty at the end."""

    def wait(self, seconds: float) -> int | None:
        """The exit status, None where it is still running after so long."""

    def end(self) -> None:
        """End it and all that it has left behind."""


class Started:
    """`python -m pytest ARGUMENTS`, started from nothing."""

    def __init__(self, arguments: Sequence[str], cwd: Path, orders: Mapping[str, object] | None = None) -> None:
        self.orders, self._is_ended = orders or {}, False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=cwd,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **own_group(),
        )

    def order(self, line: bytes) -> None:
        with contextlib.suppress(OSError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def read(self) -> bytes:
        return os.read(self._process.stdout.fileno(), 65536)

    def wait(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def end(self) -> None:
        if self._is_ended:  # its number may be another's by now
            return
        self._is_ended = True
        if os.name == "nt":
            if self._process.poll() is None:
                command = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
                subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        else:
            end_group(self._process.pid)
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._process.stdin.close()


def environment() -> dict[str, str]:
    """What a process of checks starts with: nothing of pytest's from outside, UTF-8 that reaches the pipe at once."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return kept | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
    }


def own_group() -> dict[str, object]:
    """For `subprocess.Popen`: a group that Ctrl-C does not reach, and that can be ended as a whole."""
    return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {"start_new_session": True}


def end_group(pid: int) -> None:
    """End the group that this process leads."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
