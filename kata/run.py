"""Lets a process run the checks and brings home its evidence, whatever the solution in it does.

A check that makes no progress is stopped; output is drained all the time and kept within bounds. Two processes may
share the checks of a run: one takes them from the front, the other from the back, until they meet.
"""

import contextlib
import json
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from kata import signed
from kata.child import Child
from kata.output import Output
from kata.stacks import is_importing

IMPORTS_MAY_TAKE_S = 180.0  # torch from a cold disk
STARTING_MAY_TAKE_S = 300.0
_TICK_S, _LIVELY_TICK_S = 0.05, 0.02
_DUMP_RESTS_S = 0.2  # a dump that has not grown for so long is whole


@dataclass(frozen=True)
class Run:
    """How a run of checks went: its events, how it ended, what it printed."""

    events: list[dict]
    output: Output
    status: int | None  # the exit status; None where it was stopped at its time limit
    dump: str  # faulthandler's stacks, where a limit passed or the interpreter crashed
    limit_s: float  # of the check that ran last

    @property
    def is_whole(self) -> bool:
        """Whether it came to its end, and did not break off at a failure."""
        last = self.events[-1] if self.events else {}
        return last.get("event") == "end" and not last["stopped"]


def run_checks(
    children: Sequence[Child],
    files: Collection[str],
    limit_s: float,
    keep_going: bool = False,
    meanwhile: Callable[[], None] | None = None,
) -> Run:
    """What comes of the checks in one process, or in two that share them. `files` are the solution's.

    meanwhile: called many times a second. What it raises ends the run and comes through, as Ctrl-C does.
    """
    tick_s = _TICK_S if meanwhile is None else _LIVELY_TICK_S / len(children)
    running: list[_Running] = []
    with tempfile.TemporaryDirectory(prefix="kata-", ignore_cleanup_errors=True) as folder:
        try:
            for child in children:
                running.append(_Running(child, Path(folder), files, limit_s, keep_going))
            while any([one.goes_on(tick_s) for one in running]) and not running[0].broke_off:
                if meanwhile is not None:
                    meanwhile()
        finally:
            for child in children:
                child.end()
        first, *others = [one.result for one in running]
    return as_one(first, others[0]) if others else first


def as_one(front: Run, back: Run) -> Run:
    """As if one process had run all checks in order: where it would have broken off, nothing later counts."""
    if not front.is_whole:
        return front
    output = front.output.joined_with(back.output)
    if back.is_whole:
        return replace(front, events=[*front.events, *back.events], output=output)
    last = next((event["check"] for event in reversed(back.events) if event["event"] == "started"), None)
    events = [*front.events, *(event for event in back.events if last is not None and event.get("check") == last)]
    return replace(back, events=events, output=output)


class _Running:
    """One process at work, and its evidence."""

    def __init__(self, child: Child, folder: Path, files: Collection[str], limit_s: float, keep_going: bool) -> None:
        self.child, self.key, mark = child, secrets.token_bytes(16), secrets.token_hex(16)
        self.evidence, self.dump = (Path(folder, f"{secrets.token_hex(4)}-{name}") for name in ("evidence", "dump"))
        self.evidence.touch()
        self.dump.touch()
        self.output, self.status, self.is_over = Output(mark), None, False
        self.drain = threading.Thread(target=_drain, args=(child, self.output), daemon=True)
        self.drain.start()
        orders = {"evidence": str(self.evidence), "dump": str(self.dump), "key": self.key.hex(), "mark": mark}
        orders |= {"limit_s": limit_s, "keep_going": keep_going, **child.orders}
        child.order(json.dumps(orders).encode() + b"\n")
        self.watch = _Watch(self.evidence, self.dump, self.key, files, limit_s)

    def goes_on(self, seconds: float) -> bool:
        """Whether it is still at it, after so long at the most. What makes no progress is ended here."""
        if not self.is_over:
            self.status = self.child.wait(seconds)
            self.is_over = self.status is not None or self.watch.must_stop()
            if self.is_over:
                self.child.end()
        return not self.is_over

    @property
    def broke_off(self) -> bool:
        return self.is_over and not self.result.is_whole

    @cached_property
    def result(self) -> Run:
        """How it went; to be asked for when it is over, or has been ended."""
        self.drain.join(2)
        events = signed.read(self.evidence.read_bytes(), self.key)
        return Run(events, self.output, self.status, _read(self.dump), self.watch.limit_s)


class _Watch:
    """Sees whether the checks make progress."""

    def __init__(self, evidence: Path, dump: Path, key: bytes, files: Collection[str], limit_s: float) -> None:
        self.evidence, self.dump, self.key, self.files = evidence, dump, key, files
        self.default_s = self.limit_s = limit_s
        self.size, self.since, self.started = 0, time.monotonic(), False
        self.dumped, self.dumped_at = 0, self.since

    def must_stop(self) -> bool:
        size = self.evidence.stat().st_size
        if size != self.size:
            self._progress(size)
        quiet_s = time.monotonic() - self.since
        if not self.started:
            return quiet_s > max(STARTING_MAY_TAKE_S, self.limit_s)
        if quiet_s < self.limit_s:
            return False
        dump = _read(self.dump)
        if "\n  File " not in dump:  # nothing yet, or never: the child's own watch may have been switched off
            return quiet_s > self.limit_s * 1.5 + 2
        if not self._is_whole(dump) and quiet_s < self.limit_s * 1.5 + 2:
            return False
        return not is_importing(dump, self.files) or quiet_s > max(IMPORTS_MAY_TAKE_S, self.limit_s)

    def _is_whole(self, dump: str) -> bool:
        """Whether the child has stopped writing its stacks."""
        if len(dump) != self.dumped:
            self.dumped, self.dumped_at = len(dump), time.monotonic()
        return dump.endswith("\n") and time.monotonic() - self.dumped_at >= _DUMP_RESTS_S

    def _progress(self, size: int) -> None:
        self.size, self.since, self.dumped = size, time.monotonic(), 0
        events = signed.read(self.evidence.read_bytes(), self.key)
        self.started = bool(events) and events[-1]["event"] in ("started", "finished", "end")
        self.limit_s = events[-1].get("limit_s", self.default_s) if events else self.default_s


def _drain(child: Child, output: Output) -> None:
    with contextlib.suppress(OSError, ValueError):
        while data := child.read():
            output.feed(data)
    output.finish()


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
