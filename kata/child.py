"""Runs pytest in a process of its own and brings home its evidence, whatever the solution in it does.

The process gets a group of its own, so that it ends with everything that it started. A check that makes no progress
is stopped, its output is drained all the time and kept within bounds.
"""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from kata import signed
from kata.output import Output
from kata.stacks import is_importing

IMPORTS_MAY_TAKE_S = 180.0  # torch from a cold disk
STARTING_MAY_TAKE_S = 300.0
_TICK_S = 0.05
_DUMP_RESTS_S = 0.2  # a dump that has not grown for so long is whole


@dataclass
class Run:
    """How a run of checks went: its events, how it ended, what it printed."""

    events: list[dict]
    output: Output
    status: int | None  # the exit status; None where it was stopped at its time limit
    dump: str  # faulthandler's stacks, where a limit passed or the interpreter crashed
    limit_s: float  # of the check that ran last


def run_checks(
    arguments: Sequence[str], cwd: Path, files: Collection[str], limit_s: float, keep_going: bool = False
) -> Run:
    """Run `python -m pytest ARGUMENTS`. `files` are the solution's. Ctrl-C ends the run and comes through."""
    key, mark = secrets.token_bytes(16), secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="kata-", ignore_cleanup_errors=True) as folder:
        evidence, dump = Path(folder, "evidence"), Path(folder, "dump")
        evidence.touch()
        dump.touch()
        orders = {"evidence": str(evidence), "dump": str(dump), "key": key.hex(), "mark": mark}
        orders |= {"limit_s": limit_s, "keep_going": keep_going}
        output = Output(mark)
        child = _start(arguments, cwd)
        drain = threading.Thread(target=_drain, args=(child, output), daemon=True)
        drain.start()
        try:
            with contextlib.suppress(OSError):  # it may be dead already: then there is no evidence
                child.stdin.write(json.dumps(orders).encode() + b"\n")
                child.stdin.flush()
            watch = _Watch(evidence, dump, key, files, limit_s)
            while (status := _status(child)) is None and not watch.must_stop():
                pass
        finally:
            _end(child)
            drain.join(2)
        return Run(signed.read(evidence.read_bytes(), key), output, status, _read(dump), watch.limit_s)


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


def _start(arguments: Sequence[str], cwd: Path) -> subprocess.Popen:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8:backslashreplace",
    }
    own_group = (
        {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {"start_new_session": True}
    )
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=cwd,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **own_group,
    )


def _status(child: subprocess.Popen) -> int | None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        return child.wait(_TICK_S)
    return None


def _end(child: subprocess.Popen) -> None:
    """End the process and all that it left behind."""
    if os.name == "nt":
        if child.poll() is None:
            command = ["taskkill", "/F", "/T", "/PID", str(child.pid)]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    else:
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        child.kill()
    child.wait()
    with contextlib.suppress(OSError):
        child.stdin.close()


def _drain(child: subprocess.Popen, output: Output) -> None:
    with contextlib.suppress(OSError, ValueError):
        while data := os.read(child.stdout.fileno(), 65536):
            output.feed(data)
    output.finish()


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
