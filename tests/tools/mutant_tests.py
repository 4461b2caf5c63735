"""Runs the mutants of the kata's own files against its own tests, each in a process of its own, in a copy."""

import compileall
import contextlib
import importlib
import multiprocessing
import os
import py_compile
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from pathlib import Path

import pytest

from kata.steps import ROOT
from tests.tools.mutants import Mutant
from tests.tools.mutation import Fate
from tests.tools.schedule import end_with_group, has_ended
from tests.tools.warm import FORKS

TESTS_OF: dict[str, tuple[str, ...]] = {  # a file, and its tests in the order in which they are run
    "shared/generation.py": ("test_generation",),
    "shared/metrics.py": ("test_metrics",),
    "shared/limits.py": ("test_limits",),
    "shared/stopping.py": ("test_stopping", "test_limits"),
    "shared/worker.py": ("test_worker", "test_worker_places", "test_worker_close"),
    "shared/engine.py": ("test_engine", "test_limits"),
    "kata/verdict.py": ("test_verdict",),
    "kata/progress.py": ("test_progress_file",),
    "kata/evidence.py": ("test_evidence", "test_orders"),
}
OURS = ("kata", "shared", "tests", "reference", "exercises", "bench")
NOT_COPIED = shutil.ignore_patterns("__pycache__", ".*", "compare", "build", "*.egg-info")
COMPILED = ("kata", "shared", "tests/doubles", "tests/tools")  # once; what a mutant is read from is compared with it
TEST_LIMIT_S, LIMIT_S = 20, 180
LIBRARIES = ("torch", "transformers.models.qwen3.modeling_qwen3", "fastapi.testclient", "pytest_timeout")


def run(mutants: Sequence[Mutant], tell: Callable[[Fate], None], jobs: int) -> None:
    """Tells the fate of each mutant as it comes, so many processes at a time."""
    for name in LIBRARIES if FORKS else ():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    waiting, running = list(reversed(mutants)), []
    with _copies(min(jobs, len(mutants))) as free:
        try:
            while waiting or running:
                while waiting and free:
                    running.append(_Trial(waiting.pop(), free.pop()))
                wait([trial.process.sentinel for trial in running], timeout=0.5)
                for trial in [trial for trial in running if trial.is_over]:
                    running.remove(trial)
                    tell(trial.fate())
                    free.append(trial.copy)
        finally:
            for trial in running:
                trial.end()


@contextlib.contextmanager
def _copies(number: int) -> Iterator[list[Path]]:
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        copies = [Path(folder, str(n)) for n in range(number)]
        for copy in copies:
            shutil.copytree(ROOT, copy / "kata", ignore=NOT_COPIED)
            for name in COMPILED:
                how = py_compile.PycInvalidationMode.CHECKED_HASH
                compileall.compile_dir(copy / "kata" / name, quiet=2, invalidation_mode=how)
        yield copies


class _Trial:
    """One mutant in its place in a copy, and the process of its tests."""

    def __init__(self, mutant: Mutant, copy: Path) -> None:
        self.mutant, self.copy, self.began = mutant, copy, time.monotonic()
        self.record, self.file = copy / "record", copy / "kata" / mutant.file
        self.record.write_text("")
        (copy / "tmp").mkdir()
        self.file.write_text(mutant.text, encoding="utf-8")
        methods = multiprocessing.get_context("fork" if FORKS else "spawn")
        self.process = methods.Process(target=_try, args=(copy, TESTS_OF[mutant.file]))
        self.process.start()

    @property
    def is_over(self) -> bool:
        return has_ended(self.process) or time.monotonic() - self.began > LIMIT_S

    def fate(self) -> Fate:
        ended = has_ended(self.process)
        self.end()
        status = self.process.exitcode if ended else None
        self.file.write_text((ROOT / self.mutant.file).read_text(encoding="utf-8"), encoding="utf-8")
        shutil.rmtree(self.copy / "tmp", ignore_errors=True)
        if status == 0:
            return Fate(self.mutant)
        what, _, test = self.record.read_text(encoding="utf-8").strip().rpartition("\n")[2].partition(" ")
        return Fate(self.mutant, test or f"the collection of its tests, which ended with {status}", what == "started")

    def end(self) -> None:
        end_with_group(self.process)


class _UpToTheFirstFailure:
    """A plugin of pytest that writes down which test is run, and leaves with the first that fails."""

    def __init__(self, record: Path) -> None:
        self.record = record

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write("started", nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._leave_if_failed(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._leave_if_failed(report)

    def _leave_if_failed(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if report.failed:
            self._write("failed", report.nodeid)
            os._exit(1)  # what the mutant has left behind may never end

    def _write(self, what: str, nodeid: str) -> None:
        with self.record.open("a", encoding="utf-8") as lines:
            print(what, nodeid.rpartition("/")[2], file=lines, flush=True)


def _try(copy: Path, names: Sequence[str]) -> None:
    """In a process of its own: the tests, up to the first that fails, in the copy and with its modules alone."""
    if FORKS:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    root = copy / "kata"
    sys.path[:] = [str(root), *(path for path in sys.path if path not in ("", str(ROOT)))]
    sys.dont_write_bytecode = True  # a mutant has the size, and within a second the age, of the one before
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(copy / "tmp")}
    tempfile.tempdir = None
    os.chdir(root)
    files = [f"tests/tools/{name}.py" for name in names]
    os._exit(pytest.main([*files, *_options(root)], plugins=[_UpToTheFirstFailure(copy / "record")]))


def _options(root: Path) -> list[str]:
    options = ["-q", "--impl", "reference", "--rootdir", str(root), "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    return [
        *options,
        "--timeout",
        str(TEST_LIMIT_S),
        "-o",
        "timeout_method=thread",
    ]  # by which the process ends at once
