"""A pytest plugin that tells the runner what truly happened to each check, as signed JSON lines in a file.

    collected  the checks that pytest found          started   a check begins
    finished   a check is over, with its failure     end       the session came to its own end

`tests/conftest.py` puts it in when pytest runs with `--evidence`, and `kata/warm.py` in a warm process. The runner's
orders come as one line on stdin, so that a solution finds neither the file nor the key in the arguments or the
environment.
"""

import contextlib
import faulthandler
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection
from time import perf_counter  # by name: a check may put a clock of its own in the module's place

import pytest
from _pytest.config import create_terminal_writer

from kata import failure, guards, signed
from kata.describe import cut, describe


def add_options(parser: pytest.Parser) -> None:
    parser.getgroup("kata").addoption(
        "--evidence", action="store_true", help="run for `python -m kata check`, whose orders come on stdin"
    )


def prepare(config: pytest.Config) -> None:
    """What the checks' marks need where pytest-timeout is not there: the runner keeps the time."""
    config.addinivalue_line("markers", "timeout(seconds): how long this check may take")


def install(config: pytest.Config, orders: dict) -> None:
    """The guards and the recorder of one run."""
    guard = guards.install(config)
    config.pluginmanager.register(Recorder(orders, config, guard.files, guard.really_exit), "kata-evidence")


class Recorder:
    """Runs the checks in order, required ones first, and writes down what becomes of each.

    `files` are the solution's; `leave` is the true `os._exit`.
    """

    def __init__(
        self, orders: dict, config: pytest.Config, files: Collection[str], leave: Callable[[int], None]
    ) -> None:
        self.files, self.leave, self.pid, self.root = files, leave, os.getpid(), os.getcwd()
        self.key, self.mark = bytes.fromhex(orders["key"]), orders["mark"]
        self.limit_s, self.keep_going = orders["limit_s"], orders["keep_going"]
        self.evidence = os.open(orders["evidence"], os.O_WRONLY | os.O_APPEND)
        self.dump = os.open(orders["dump"], os.O_WRONLY)
        self.stream = os.dup(1)
        self.lines = 0
        self.failed: dict[str, object] | None = None
        self.running: pytest.Item | None = None
        self.began = 0.0
        self.codes = {failure.expect: failure.expect.__code__}  # of what judges, as it was before a solution ran
        faulthandler.enable(self.dump)
        _mute(config)

    def write(self, event: str, **told: object) -> None:
        """One line of evidence. A forked copy of this process has nothing to say."""
        if os.getpid() != self.pid:
            self.leave(1)
        os.write(self.evidence, signed.sign({"n": self.lines, "event": event, **told}, self.key))
        self.lines += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write("uncollected", why=cut(report.longrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=_is_stretch)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.codes |= {item.obj: item.obj.__code__ for item in session.items if isinstance(item, pytest.Function)}
        self.write("collected", checks=[item.name for item in session.items])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        os.chdir(self.root)  # a solution may have gone elsewhere
        self.running, self.failed = item, None
        limit_s = _own_limit(item) or self.limit_s
        self.write("started", check=item.name, limit_s=limit_s)
        self._flush()
        os.write(self.stream, f"\x1e{self.mark} {item.name}\x1e".encode())
        os.ftruncate(self.dump, 0)
        os.lseek(self.dump, 0, os.SEEK_SET)
        faulthandler.dump_traceback_later(limit_s, repeat=True, file=self.dump)  # it works where nothing else does
        self.began = perf_counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> pytest.TestReport:
        """Whatever was raised is a failure: nothing is skipped here, and nothing is formatted for a terminal."""
        if call.excinfo is not None:
            self.failed = self.failed or describe(call.excinfo.value, self.files)
        outcome = "failed" if call.excinfo else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when, duration=call.duration)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logfinish(self) -> None:
        self._finish()

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo) -> None:
        """`KeyboardInterrupt` or `pytest.exit` by the solution: the keyboard's own Ctrl-C goes to the runner."""
        if self.running:
            self.failed = self.failed or describe(excinfo.value, self.files)
            self._finish()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.write("end", stopped=bool(session.shouldfail))

    def pytest_unconfigure(self) -> None:
        """Leave at once: a solution's threads, exit handlers and finalisers have no say any more."""
        self._flush()
        self.leave(0)

    def _finish(self) -> None:
        seconds = round(perf_counter() - self.began, 4)
        faulthandler.cancel_dump_traceback_later()
        self._flush()
        if any(function.__code__ is not code for function, code in self.codes.items()):
            told = "the code of the checks was replaced while they ran"
            self.failed = {"kind": "tampering", "type": "Tampering", "message": told}
        item, self.running = self.running, None
        self.write("finished", check=item.name, failure=self.failed, seconds=seconds)
        if self.failed and not self.keep_going and not _is_stretch(item):
            item.session.shouldfail = "one failure is enough"

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # a solution may have closed or replaced it
                stream.flush()


def _is_stretch(item: pytest.Item) -> bool:
    return item.get_closest_marker("stretch") is not None


def _own_limit(item: pytest.Item) -> float | None:
    """The seconds of `@pytest.mark.timeout(60)`."""
    mark = item.get_closest_marker("timeout")
    return (mark.args[0] if mark.args else mark.kwargs.get("timeout")) if mark else None


def _mute(config: pytest.Config) -> None:
    """The terminal reporter goes on working, for plugins that lean on it, but nobody hears it."""
    silence = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it lives as long as the process
    config.pluginmanager.get_plugin("terminalreporter")._tw = create_terminal_writer(config, silence)


def orders_from_stdin() -> dict:
    """The runner's one line. From then on stdin is empty for the solution, and its end says that the runner is gone."""
    line, leave = b"", os._exit  # the true one: a run's guards come later
    while not line.endswith(b"\n"):
        piece = os.read(0, 65536)
        if not piece:
            raise pytest.UsageError("--evidence is for `python -m kata check`, which says on stdin what to do")
        line += piece
    pipe, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=_leave_with_runner, args=(pipe, leave), daemon=True).start()
    return json.loads(line)


def _leave_with_runner(pipe: int, leave: Callable[[int], None]) -> None:
    with contextlib.suppress(OSError):
        while os.read(pipe, 1):
            pass
        if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)  # what the solution started, and this process
        leave(1)
