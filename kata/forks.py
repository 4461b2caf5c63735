"""The runner's side of a warm process that is forked for every run: asks for forks, hears how each of them ends.

The other side is `kata/warm.py`. A fork is a `Child` like any other. Only where there are forks, so not on Windows.
"""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from enum import Enum

from kata.child import end_group, environment, own_group
from kata.steps import ROOT

FORKS = sys.platform == "linux"  # elsewhere the system's own libraries may hold threads, and a fork may crash
_ANSWERS_WITHIN_S = 10.0
_KILLED = -9


class State(Enum):
    """Of a process that is to be warm."""

    WARMING = "warming"
    READY = "ready"
    UNSAFE = "unsafe"  # it holds what no fork can use
    ENDED = "ended"


class Forked:
    """The warm process; `arguments` are those of pytest."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._state = State.WARMING
        self._newest = 0  # the process of the last fork
        self._statuses: dict[int, int] = {}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *arguments, "--warm", str(theirs.fileno())],
                cwd=ROOT,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                **own_group(),
            )

    def state(self) -> State:
        while self._hear(0):
            pass
        return self._state

    def children(self, orders: Mapping[str, object], checks: int, at_once: int) -> "list[Fork]":
        """The forks of a run that has so many checks: one, or two that share them. `OSError` where it has ended."""
        if at_once == 1:
            return [self._fork(orders)]
        queue, tokens = os.pipe()
        os.write(tokens, bytes(checks))  # far less than a pipe holds
        os.close(tokens)
        forks: list[Fork] = []
        try:
            for from_back in (False, True):
                forks.append(self._fork({**orders, "from_back": from_back}, queue))
        except OSError:
            for fork in forks:
                fork.end()
            raise
        finally:
            os.close(queue)
        return forks

    def status_of(self, pid: int, seconds: float) -> int | None:
        """How a fork has ended; None where it has not, after so long at the most."""
        until = time.monotonic() + seconds
        while pid not in self._statuses and self._state is not State.ENDED:
            if not self._hear(max(until - time.monotonic(), 0)):
                return None
        return self._statuses.get(pid, _KILLED)

    def close(self) -> None:
        """End it, and its forks with it."""
        self.control.close()
        end_group(self._process.pid)
        self._process.wait()
        self._state = State.ENDED

    def _fork(self, orders: Mapping[str, object], *queue: int) -> "Fork":
        stdin, to_fork = os.pipe()
        from_fork, stdout = os.pipe()
        self._newest = 0
        try:
            socket.send_fds(self.control, [b"f"], [stdin, stdout, *queue])
            until = time.monotonic() + _ANSWERS_WITHIN_S
            while not self._newest and self._state is State.READY and time.monotonic() < until:
                self._hear(0.1)
            if not self._newest:
                raise OSError("there is no fork to be had")
        except OSError:
            os.close(to_fork)
            os.close(from_fork)
            raise
        finally:
            os.close(stdin)
            os.close(stdout)
        return Fork(self, self._newest, to_fork, from_fork, orders)

    def _hear(self, seconds: float) -> bool:
        """Take in one message, waited for so long; whether there was any."""
        if self._state is State.ENDED or not select.select([self.control], [], [], seconds)[0]:
            return False
        try:
            said = json.loads(self.control.recv(4096) or b"{}")
        except OSError:
            said = {}
        match said:
            case {"ready": is_safe}:
                self._state = State.READY if is_safe else State.UNSAFE
            case {"pid": pid, "status": status}:
                self._statuses[pid] = status
            case {"pid": pid}:
                self._statuses.pop(pid, None)  # of an earlier fork that had the same number
                self._newest = pid
            case _:
                self._state = State.ENDED
        return self._state is not State.ENDED


class Fork:
    """One fork, which waits for its orders."""

    def __init__(self, parent: Forked, pid: int, to_fork: int, from_fork: int, orders: Mapping[str, object]) -> None:
        self.orders, self._parent, self._pid = orders, parent, pid
        self._to_fork, self._from_fork, self._is_ended = to_fork, from_fork, False

    def order(self, line: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self._to_fork, line)

    def read(self) -> bytes:
        data = os.read(self._from_fork, 65536)
        if not data:
            os.close(self._from_fork)
        return data

    def wait(self, seconds: float) -> int | None:
        return self._parent.status_of(self._pid, seconds)

    def end(self) -> None:
        if not self._is_ended:
            self._is_ended = True
            end_group(self._pid)
            with contextlib.suppress(OSError):
                os.close(self._to_fork)
