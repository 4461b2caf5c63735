"""A pytest plugin: a warm process, which has imported and collected everything before there is a solution to check.

Where a fork is safe, it is forked for every run, and each fork is then a run like any other. Elsewhere it waits for the
orders of one run, carries them out itself, and ends with it. `tests/conftest.py` puts it in when pytest runs with
`--warm`; the runner's side of it is `kata/standby.py`.
"""

import contextlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from kata import evidence
from kata.forks import FORKS
from kata.memory import freeze, join_pages

_IDLE_S = 2.0  # so long nobody has asked for anything
Jobs = Callable[[Sequence[pytest.Item]], list[Callable[[], object]]]  # what can be made ready for these checks


def add_options(parser: pytest.Parser) -> None:
    told = "get ready and wait: a number is the socket that asks for forks; else it is a file, made when the orders of "
    told += "one run may come"
    parser.getgroup("kata").addoption("--warm", metavar="HOW", help=told)


def install(config: pytest.Config, jobs: Jobs, in_fork: Callable[[Path], object]) -> None:
    """jobs: done for the first file of checks at once, for the others when nobody asks for a run.

    in_fork: called with the file of checks in each fork, before there is a solution.
    """
    how = config.getoption("--warm")
    work = _Forks(socket.socket(fileno=int(how)), jobs, in_fork).serve if how.isdigit() else _spare(Path(how))
    config.pluginmanager.register(Host(work), "kata-warm")


class Host:
    """Collects as pytest always does; then `work` has the session, in the place of the loop that runs the checks."""

    def __init__(self, work: Callable[[pytest.Session], object]) -> None:
        self.work = work

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            print(report.longrepr, file=sys.stderr)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if not session.testsfailed:  # everything could be collected
            self.work(session)
        return True


def is_safe_to_fork() -> bool:
    """A fork has only the thread that made it, and cannot use a device that was opened before."""
    torch = sys.modules.get("torch")
    if not FORKS or (torch is not None and torch.cuda.is_initialized()):
        return False
    with contextlib.suppress(OSError):  # where there is no /proc, what the libraries do is all that is known
        return len(os.listdir("/proc/self/task")) == 1
    return True


def _spare(file: Path) -> Callable[[pytest.Session], None]:
    def work(session: pytest.Session) -> None:
        file.touch()
        _run(session)

    return work


class _Forks:
    """Forks this process for every run that is asked for, and says how each fork ends."""

    def __init__(self, control: socket.socket, jobs: Jobs, in_fork: Callable[[Path], object]) -> None:
        self.control, self.jobs, self.in_fork = control, jobs, in_fork
        self.deaths, self.bell = socket.socketpair()
        self.alive: set[int] = set()

    def serve(self, session: pytest.Session) -> None:
        """In the process itself until nobody can ask any more; in a fork until its run is over."""
        self._hear_of_deaths()
        first = _of_first_file(session.items)
        _try_all(self.jobs(first))
        jobs = self.jobs(session.items[len(first) :])
        freeze()
        self._say(ready=is_safe_to_fork())
        while True:
            may_work = bool(jobs) and not self.alive
            heard = select.select([self.control, self.deaths], [], [], _IDLE_S if may_work else None)[0]
            if self.deaths in heard:
                self._tell_deaths()
            if self.control in heard:
                files = self._asked()
                if not files:
                    return self._leave()
                if not is_safe_to_fork():
                    self._say(ready=False)
                elif self._fork(files):
                    return _run(session, *files[2:], before=self.in_fork)
                for file in files:
                    os.close(file)
            elif not heard:
                _try_all([jobs.pop(0)])
                if not jobs:
                    freeze()
                    join_pages()

    def _asked(self) -> list[int]:
        """The files of a fork: its stdin, its stdout and, where two share the checks, their queue."""
        with contextlib.suppress(OSError):
            return list(socket.recv_fds(self.control, 1, 3)[1])
        return []

    def _fork(self, files: Sequence[int]) -> bool:
        """Whether this is the fork. It leads a group of its own, and has nothing of its parent's means."""
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid or os.getpid())  # both do it: neither need wait for the other
        if pid:
            self.alive.add(pid)
            self._say(pid=pid)
            return False
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in (self.control, self.deaths, self.bell):
            end.close()
        for file, stream in ((files[0], 0), (files[1], 1), (files[1], 2)):
            os.dup2(file, stream)
        os.close(files[0])
        os.close(files[1])
        return True

    def _hear_of_deaths(self) -> None:
        self.bell.setblocking(False)
        signal.set_wakeup_fd(self.bell.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def _tell_deaths(self) -> None:
        self.deaths.recv(4096)
        for pid in list(self.alive):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self.alive.discard(pid)
                self._say(pid=pid, status=os.waitstatus_to_exitcode(status))

    def _say(self, **message: object) -> None:
        with contextlib.suppress(OSError):
            self.control.send(json.dumps(message).encode())

    def _leave(self) -> None:
        for pid in self.alive:
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)


def _of_first_file(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    return [item for item in items if item.path == items[0].path]


def _try_all(jobs: Sequence[Callable[[], object]]) -> None:
    for job in jobs:
        with contextlib.suppress(Exception):  # then a run does without it, and tells what is wrong
            job()


def _run(
    session: pytest.Session, queue: int | None = None, before: Callable[[Path], object] = lambda checks: None
) -> None:
    """The run that the orders on stdin name: its checks, and the files that stand for the steps."""
    orders, config = evidence.orders_from_stdin(), session.config
    before(Path(orders["checks"]))
    config.option.step_file = [f"{number}={file}" for number, file in orders["sources"].items()]
    evidence.install(config, orders)
    session.items[:] = [item for item in session.items if str(item.path) == orders["checks"]]
    config.hook.pytest_collection_modifyitems(session=session, config=config, items=session.items)
    config.hook.pytest_collection_finish(session=session)
    for item, after in _mine(session.items, queue, orders.get("from_back", False)):
        config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)


def _mine(
    items: Sequence[pytest.Item], queue: int | None, from_back: bool
) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """The checks of this run in order, each with the one after it; where two share them, as long as any is left.

    The queue holds a byte for each check. The other run takes them from the other end, so that the two meet.
    """
    order = items[::-1] if from_back else items
    for item, after in zip(order, [*order[1:], None], strict=True):
        if queue is not None and not os.read(queue, 1):
            return
        yield item, after
