"""An arena for the duel of step 9 that waits in a fork of a warm process, since its imports cost half of a duel.

Forked before any solution is loaded, it is as clean as a process that starts from nothing.
"""

import os
import signal

from tests.duel import arena, duel


def keep_one_waiting() -> None:
    """The next duel finds its arena there; whoever fights more than one starts the others from nothing."""
    waiting: list[duel.Arena] = [WaitingArena()]
    duel.start_arena = lambda: waiting.pop() if waiting else duel.new_arena()


class WaitingArena:
    """Stands in for the `subprocess.Popen` of an arena."""

    def __init__(self) -> None:
        orders, orders_here = os.pipe()
        events_here, events = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(orders_here)
            os.close(events_here)
            _fight(orders, events)
        os.close(orders)
        os.close(events)
        self.stdin, self.stdout = os.fdopen(orders_here, "wb"), os.fdopen(events_here, "rb")
        self._status: int | None = None

    def wait(self) -> int:
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status

    def kill(self) -> None:
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)


def _fight(orders: int, events: int) -> None:
    """In the fork: what `python -m tests.duel.arena` does."""
    try:
        for name in [name for name in os.environ if name.startswith("PYTEST")]:
            del os.environ[name]
        os.dup2(orders, 0)
        os.dup2(events, 1)
        os.close(orders)
        os.close(events)
        arena.main()
    finally:
        os._exit(1)  # the arena leaves by itself, with 0
