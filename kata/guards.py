"""A pytest plugin: a solution cannot leave a run of checks early and have it look well. `tests/conftest.py` puts it in.

It guards a plain `pytest tests/test_03_…` too. A skip that a solution asks for is a failure; `os._exit` is refused
while it runs; and a session that ends before each of its checks has run does not end with status 0.
"""

import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, TracebackType

import pytest

from kata.describe import LeavingRefused
from kata.solution import Solution
from kata.steps import EXERCISES, REFERENCE

_CHECKS = re.compile(r"test_\d\d_\w+\.py")
MAY_SKIP = ("gpu", "real")  # marks of checks that want something which a machine may lack


def add_options(parser: pytest.Parser) -> None:
    """Whose code is checked, and where each step of it lies."""
    group = parser.getgroup("kata")
    group.addoption(
        "--impl", default="exercises", metavar="WHOSE", help="whose code is checked: exercises, reference, or a folder"
    )
    group.addoption(
        "--step-file", action="append", default=[], metavar="N=FILE", help="take step N from this file; repeatable"
    )


def install(config: pytest.Config) -> "Guards":
    """The guards of one run."""
    guard = Guards(config)
    config.pluginmanager.register(guard, "kata-guards")
    return guard


def sources_of(config: pytest.Config) -> dict[int, Path]:
    """Step number to file, from `--impl` and `--step-file`."""
    impl = config.getoption("--impl")
    folder = {"exercises": EXERCISES, "reference": REFERENCE}.get(impl) or Path(impl).resolve()
    if not folder.is_dir():
        raise pytest.UsageError(f"--impl {impl}: there is no such folder (nor is it 'exercises' or 'reference')")
    sources = dict(Solution.in_folder(folder).sources)
    for option in config.getoption("--step-file"):
        number, _, file = option.partition("=")
        if not number.isdigit() or not file:
            raise pytest.UsageError(f"--step-file {option}: write it as N=FILE")
        sources[int(number)] = Path(file).resolve()
    return sources


def is_check(item: pytest.Item) -> bool:
    """Whether the test is one of the kata's checks of a solution, not a test of the kata's own tools."""
    return _CHECKS.fullmatch(item.path.name) is not None


class Guards:
    """One run's guards; registered as a plugin."""

    def __init__(self, config: pytest.Config) -> None:
        self.files = {str(file) for file in sources_of(config).values()}
        self.due: set[str] = set()
        self.really_exit, self.pid = os._exit, os.getpid()
        self._set_exit(self._exit)

    def pytest_unconfigure(self) -> None:
        self._set_exit(self.really_exit)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if not session.config.option.collectonly and not hasattr(session.config, "workerinput"):
            self.due = {item.nodeid for item in session.items if is_check(item)}

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.due.discard(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.due and session.exitstatus == pytest.ExitCode.OK:
            if not session.config.getoption("--evidence"):
                print(f"\nended before {len(self.due)} checks had run: this counts as failed", file=sys.stderr)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
        report = yield
        excused = report.skipped or hasattr(report, "wasxfail")
        if excused and is_check(item) and not self._may_skip(item, call):
            report.outcome = "failed"
            report.longrepr = f"{item.name} was skipped or expected to fail: that proves nothing and counts as failed"
            vars(report).pop("wasxfail", None)
        return report

    def _may_skip(self, item: pytest.Item, call: pytest.CallInfo) -> bool:
        by_solution = call.excinfo is not None and self._touches(call.excinfo.tb)
        return not by_solution and any(item.get_closest_marker(mark) for mark in MAY_SKIP)

    def _touches(self, tb: TracebackType | None) -> bool:
        return any(frame.f_code.co_filename in self.files for frame, _ in traceback.walk_tb(tb))

    def _exit(self, status: int) -> None:
        """`os._exit` while checks run. Forked children may use it, and so may a time limit's thread (never with 0)."""
        if os.getpid() == self.pid and (status == 0 or self._calls_from_solution(sys._getframe(1))):
            raise LeavingRefused(f"os._exit({status}) ends the whole process, and the checks with it")
        self.really_exit(status)

    def _set_exit(self, function: Callable[[int], object]) -> None:
        """`os._exit` also stands in the module that `os` takes it from, `posix` or `nt`."""
        os._exit = sys.modules[os.name]._exit = function

    def _calls_from_solution(self, frame: FrameType | None) -> bool:
        return any(frame.f_code.co_filename in self.files for frame, _ in traceback.walk_stack(frame))
