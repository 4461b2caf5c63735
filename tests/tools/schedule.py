"""Who of the zoo runs when: each specimen in a process of its own, so many at a time, each within its time limit."""

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.tools.recorder import read_record
from tests.tools.specimens import Specimen, Verdict, required_checks
from tests.tools.warm import FORKS, Start, with_processes

JOBS = 2
PLACES = JOBS + 1  # of the zoo: its processes also wait, for threads and for each other
FILE_LIMIT_S = 180
WAITING_STEPS = (8,)  # their checks wait for answers that a fault never gives: they run beside those that compute
Tell = Callable[[Verdict], None]
Jobs = Callable[[], int]


def run(specimens: Sequence[Specimen], tell: Tell, jobs: Jobs = lambda: PLACES, curious: bool = False) -> None:
    """Runs the checks of each specimen, so many at a time, and tells the verdicts as they come.

    jobs: asked again and again. Steps whose checks mostly wait have as many places once more.
    curious: on a fault also run the checks that no fault of the step is meant for alone, until they have caught one: do
    they catch anything at all?
    """
    steps = {specimen.step.number: specimen.step for specimen in specimens}
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        with_processes(
            [steps[number] for number in sorted(steps)],
            lambda start: _Schedule(specimens, start, Path(folder), curious).run(tell, jobs),
        )


class _Schedule:
    """Who is running, who waits for a place, and which checks have caught nothing so far."""

    def __init__(self, specimens: Sequence[Specimen], start: Start, folder: Path, curious: bool) -> None:
        self.start, self.folder = start, folder
        self.waiting = {True: [], False: []}  # by whether they mostly wait
        for specimen in sorted(specimens, key=lambda one: one.is_fault):  # the right ones, which take longest, first
            self.waiting[specimen.step.number in WAITING_STEPS].append(specimen)
        self.running: list[_Running] = []
        self.idle = {one.step: set(required_checks(one.step)) if curious else set() for one in specimens}
        for one in specimens:
            if len(one.caught_by) == 1:  # it will catch that one, or the fault is told as broken
                self.idle[one.step] -= set(one.caught_by)

    def run(self, tell: Tell, jobs: Jobs) -> None:
        try:
            while self.running or any(self.waiting.values()):
                self._fill(jobs())
                wait([one.process.sentinel for one in self.running], timeout=0.5)
                for one in [one for one in self.running if one.is_over]:
                    self.running.remove(one)
                    verdict = one.verdict()
                    self.idle[one.specimen.step] -= verdict.failed.keys()
                    tell(verdict)
        finally:
            for one in self.running:
                one.end()

    def _fill(self, jobs: int) -> None:
        for waits, specimens in self.waiting.items():
            free = jobs - sum((one.specimen.step.number in WAITING_STEPS) is waits for one in self.running)
            for specimen in specimens[: max(free, 0)]:
                specimens.remove(specimen)
                self.running.append(_Running(specimen, self.folder, self.start, frozenset(self.idle[specimen.step])))


class _Running:
    """The process of one specimen."""

    def __init__(self, specimen: Specimen, folder: Path, start: Start, also: frozenset[str]) -> None:
        self.specimen, self.record, self.began = specimen, folder / specimen.name.replace("/", "-"), time.monotonic()
        self.record.touch()
        self.process = start(specimen, self.record, also)

    @property
    def is_over(self) -> bool:
        return has_ended(self.process) or time.monotonic() - self.began > FILE_LIMIT_S

    def verdict(self) -> Verdict:
        """What its checks have written down; whatever is still running is ended."""
        seconds, ended = time.monotonic() - self.began, has_ended(self.process)
        self.end()
        status = self.process.exitcode if ended else None
        stopped = f"stopped after {FILE_LIMIT_S} s" if status is None else f"the process ended with status {status}"
        record = self.record.read_text(encoding="utf-8")
        return read_record(self.specimen.name, record, stopped if status != 0 else "", seconds)

    def end(self) -> None:
        end_with_group(self.process)


def has_ended(process: BaseProcess) -> bool:
    """Whether it has, without asking for its exit status: from then on its number may be that of another group."""
    if not FORKS:
        return process.exitcode is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # multiprocessing has asked, as it does whenever it starts another
        return True


def end_with_group(process: BaseProcess) -> None:
    """Ends the process and whatever it has started, as long as its number is still its own."""
    if FORKS:
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # it may have no group of its own yet
    process.join()
