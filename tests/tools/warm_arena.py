"""An arena for the duel of step 9 that waits in a fork of a warm process, since its imports cost half of a duel.

Forked before any solution is loaded, it is as clean as a process that starts from nothing.
"""

import os
import select
import signal
import subprocess
import sys
import time

from tests.duel import arena, duel


def keep_one_waiting() -> None:
    """The next duel finds its arena there; whoever fights more than one starts the others from nothing."""
    waiting: list[duel.Arena] = [WaitingArena()]
    duel.start_arena = lambda: waiting.pop() if waiting else duel.new_arena()


class WaitingArena:
    """Stands in for the `subprocess.Popen` of an arena."""

    def __init__(self) -> None:
        orders, self._orders = os.pipe()
        self._events, events = os.pipe()
        self.returncode: int | None = None
        self._told = b""
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._orders)
            os.close(self._events)
            _fight(orders, events)
        os.close(orders)
        os.close(events)

    def communicate(self, input: bytes | None = None, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Sends the orders, where there are any, and gives all events up to the end of the process."""
        if input is not None:
            with os.fdopen(self._orders, "wb") as orders:
                orders.write(input)
        until = None if timeout is None else time.monotonic() + timeout
        while data := self._read(until, timeout):
            self._told += data
        self.returncode = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._told, b""

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)

    def _read(self, until: float | None, timeout: float | None) -> bytes:
        left = None if until is None else max(until - time.monotonic(), 0)
        if not select.select([self._events], [], [], left)[0]:
            raise subprocess.TimeoutExpired("arena", timeout)
        return os.read(self._events, 65536)


def _fight(orders: int, events: int) -> None:
    """In the fork: what `python -m tests.duel.arena` does."""
    try:
        for name in [name for name in os.environ if name.startswith("PYTEST")]:
            del os.environ[name]
        os.dup2(orders, 0)
        os.dup2(events, 1)
        os.close(orders)
        os.close(events)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        arena.main()
    finally:
        os._exit(1)  # the arena leaves by itself, with 0
