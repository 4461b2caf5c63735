"""The duel as the checks see it: it runs the arena, and knows of each server whether it was caught."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import IO, Protocol

from kata.steps import ROOT
from tests.duel.families import FAMILIES, family_of
from tests.duel.servers import RIGHT, SERVERS, Server

DUEL_MAY_TAKE_S = 55  # each part of it
A_KILLED_ONE_MAY_TAKE_S = 2


@dataclass(frozen=True)
class Ran:
    """One test on one server.

    outcome: passed, failed, skipped, xfailed, xpassed, or unfinished (the process ended before the test did).
    client: whether the duel's client reached it. line: the last line of the file that led to the error, 0 for none.
    asked: `POST /generate` and the like. answer: the last one, where it said no, with its status and what it named.
    """

    test: str
    server: Server
    alone: bool
    outcome: str
    client: bool
    own_client: bool
    awaits: bool
    error: str = ""
    text: str = ""
    line: int = 0
    asked: tuple[str, ...] = ()
    answer: str = ""

    @property
    def family(self) -> str | None:
        return family_of(self.test)


@dataclass
class Duel:
    """Everything that ran so far, in order.

    uncollected: why pytest could not collect the file, where it could not. ended: whether it came to its own end, as
    far as it was asked for.
    """

    runs: list[Ran] = field(default_factory=list)
    uncollected: str = ""
    ended: bool = False

    def of(self, test: str) -> list[Ran]:
        """What ran of the test under exactly this name; the first is on a plain right server."""
        return [ran for ran in self.runs if ran.test == test]

    def never_met(self, family: str) -> list[Server]:
        """Broken servers that the family was to meet and has not: the duel was over before."""
        met = [ran.server for ran in self.runs if ran.family == family]
        return [server for server in SERVERS if server.kind in FAMILIES[family] and server not in met]

    def false_alarms(self, family: str, alone: bool = False) -> list[Ran]:
        """Runs of the family that do not pass on a right server, one for each such server."""
        found: dict[str, Ran] = {}
        for ran in self.runs:
            if (ran.family, ran.alone, ran.server.kind) == (family, alone, RIGHT) and ran.outcome != "passed":
                found.setdefault(ran.server.name, ran)
        return list(found.values())

    def caught(self, family: str) -> list[Server]:
        """The broken servers of the family on which one of its tests, by itself, fails by whatever exception."""
        alarmed = [ran.server for ran in self.runs if ran.family == family and ran.outcome == "failed"]
        return [server for server in SERVERS if server.kind in FAMILIES[family] and server in alarmed]


class Arena(Protocol):
    """The process in which a duel is fought, as `subprocess.Popen` has it."""

    stdin: IO[bytes]
    stdout: IO[bytes]

    def wait(self) -> int: ...

    def kill(self) -> None: ...


def new_arena() -> Arena:
    """A process that starts from nothing."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "tests.duel.arena"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, **pipes, cwd=ROOT, env=environment)


start_arena: Callable[[], Arena] = new_arena  # whoever runs many duels may have one waiting


class Match:
    """A duel as it goes on, in a process of its own: the required families first, the stretch ones when asked for."""

    def __init__(self, sources: Mapping[int, Path]) -> None:
        self.duel = Duel()
        self._arena, self._told = start_arena(), SimpleQueue[bytes]()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._order({number: str(file) for number, file in sources.items()})
        if not self._take(self._events()):
            raise RuntimeError(f"the duel's own process did not start: it ended with status {self._arena.wait()}")

    def go_on(self) -> None:
        """The stretch families meet their servers as well."""
        self.duel.ended = False
        self._order("go on")
        self._take(self._events())

    def close(self) -> None:
        """Ends the process, whatever it does."""
        self._arena.kill()
        self._arena.wait()
        self._reader.join(A_KILLED_ONE_MAY_TAKE_S)
        if not self._reader.is_alive():  # as it is while a process that a test has left behind holds the pipe
            self._arena.stdout.close()
        with contextlib.suppress(OSError):
            self._arena.stdin.close()

    def _order(self, what: object) -> None:
        with contextlib.suppress(OSError):  # it has ended: there are no more events
            self._arena.stdin.write(json.dumps(what).encode() + b"\n")
            self._arena.stdin.flush()

    def _read(self) -> None:
        for line in self._arena.stdout:
            self._told.put(line)
        self._told.put(b"")

    def _events(self) -> Iterator[dict]:
        """What is told up to the end of this part, of the process, or of its time."""
        until, is_over = time.monotonic() + DUEL_MAY_TAKE_S, False
        while not is_over:
            line = b""
            try:
                line = self._told.get(timeout=max(until - time.monotonic(), 0))
            except Empty:
                self._arena.kill()
                with contextlib.suppress(Empty):
                    line = self._told.get(timeout=A_KILLED_ONE_MAY_TAKE_S)
            if not line:
                self._told.put(b"")  # for whoever asks again
                return
            facts = json.loads(line.decode("utf-8", errors="replace"))
            is_over = facts["event"] == "end"
            yield facts

    def _take(self, events: Iterator[dict]) -> bool:
        """Adds the events to the duel. Whether there were any."""
        facts, started = None, None
        for facts in events:
            event = facts.pop("event")
            if event != "over" and started is not None:  # it began, and something else came before its end
                self.duel.runs.append(_ran(started | {"outcome": "unfinished"}))
            started = facts if event == "start" else None
            if event == "over":
                self.duel.runs.append(_ran(facts))
            elif event == "end":
                self.duel.ended = True
            elif event == "uncollected":
                self.duel.uncollected = self.duel.uncollected or facts["text"]
        if started is not None:
            self.duel.runs.append(_ran(started | {"outcome": "unfinished"}))
        return facts is not None


@dataclass(frozen=True)
class Fought:
    """The learner's file after its duel, or after the part of it that is over."""

    match: Match
    module: ModuleType
    file: Path

    @property
    def duel(self) -> Duel:
        return self.match.duel


def _ran(facts: dict) -> Ran:
    return Ran(**(facts | {"server": SERVERS[facts["server"]], "asked": tuple(facts.get("asked", ()))}))
