"""The duel as the checks see it: it runs the arena, and knows of each server whether it was caught."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from kata.steps import ROOT
from tests.duel.families import FAMILIES, family_of
from tests.duel.servers import RIGHT, SERVERS, Server

DUEL_MAY_TAKE_S = 55


@dataclass(frozen=True)
class Ran:
    """One test on one server.

    outcome: passed, failed, skipped, xfailed, xpassed, or unfinished (the process ended before the test did).
    client: whether the duel's client reached it. line: the last line of the file that led to the error, 0 for none.
    asked: `POST /generate` and the like. answer: the last one that said no, with its status and what it named.
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
    """Everything that ran, in order.

    uncollected: why pytest could not collect the file, where it could not. ended: whether it came to its own end.
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

    returncode: int | None

    def communicate(self, input: bytes | None = None, timeout: float | None = None) -> tuple[bytes, bytes]: ...

    def kill(self) -> None: ...


def new_arena() -> Arena:
    """A process that starts from nothing."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "tests.duel.arena"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, **pipes, cwd=ROOT, env=environment)


start_arena: Callable[[], Arena] = new_arena  # whoever runs many duels may have one waiting


def fight(sources: Mapping[int, Path]) -> Duel:
    """Runs the tests of step 9 against every server, in a process of its own."""
    arena = start_arena()
    orders = json.dumps({number: str(file) for number, file in sources.items()}).encode()
    try:
        events, _ = arena.communicate(orders, timeout=DUEL_MAY_TAKE_S)
    except subprocess.TimeoutExpired:
        arena.kill()
        events, _ = arena.communicate()
    if not events:
        raise RuntimeError(f"the duel's own process did not start: it ended with status {arena.returncode}")
    return _duel(events.decode("utf-8", errors="replace"))


def _duel(events: str) -> Duel:
    duel, started = Duel(), None
    for line in events.splitlines():
        facts = json.loads(line)
        event = facts.pop("event")
        if event != "over" and started is not None:  # it began, and something else came before its end
            duel.runs.append(_ran(started | {"outcome": "unfinished"}))
        started = facts if event == "start" else None
        if event == "over":
            duel.runs.append(_ran(facts))
        elif event == "end":
            duel.ended = True
        elif event == "uncollected":
            duel.uncollected = duel.uncollected or facts["text"]
    if started is not None:
        duel.runs.append(_ran(started | {"outcome": "unfinished"}))
    return duel


def _ran(facts: dict) -> Ran:
    return Ran(**(facts | {"server": SERVERS[facts["server"]], "asked": tuple(facts.get("asked", ()))}))
