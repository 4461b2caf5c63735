"""Runs a step's checks on the zoo: wrong solutions that must be caught, and right ones that must pass.

    python -m tests.tools.zoo tests/faults/step_04/feeds_everything.py    one file, or several
    python -m tests.tools.zoo tests/faults/step_04 tests/variants         all files of a folder

Each file is laid over the reference and judged in a process of its own. torch, transformers and FastAPI are imported
once, and that process is forked for each file; where there is no safe fork, each process starts from nothing.
"""

import contextlib
import gc
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import TextIO

from kata.steps import ROOT
from tests.tools.specimens import Specimen, Verdict, problems, read_specimen, required_checks, specimen_paths

AT_ONCE = 2
CHECK_LIMIT_S, FILE_LIMIT_S = 15, 60
CURIOSITY_S = 5  # for checks beyond those that a fault names
FORKS = sys.platform == "linux"  # elsewhere the system's own libraries may hold threads, and a fork may crash


def verdicts(specimens: Sequence[Specimen], curious: bool = False) -> Iterator[Verdict]:
    """Runs the checks of each specimen, two at a time, and gives the verdicts as they come.

    curious: on a fault also run the checks that have not caught any fault so far: do they catch anything at all?
    """
    idle = {specimen.step: set(required_checks(specimen.step)) if curious else set() for specimen in specimens}
    methods = multiprocessing.get_context("fork" if FORKS else "spawn")
    if FORKS:
        _warm_up()
    waiting, running = list(specimens), {}
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        try:
            while waiting or running:
                while waiting and len(running) < AT_ONCE:
                    specimen = waiting.pop(0)
                    one = _Running(specimen, Path(folder), methods, frozenset(idle[specimen.step]))
                    running[one.process.sentinel] = one
                wait(list(running), timeout=0.5)
                for one in [one for one in running.values() if one.is_over]:
                    del running[one.process.sentinel]
                    verdict = one.verdict()
                    idle[one.specimen.step] -= verdict.failed.keys()
                    yield verdict
        finally:
            for one in running.values():
                one.end()


class _Running:
    """The process of one specimen."""

    def __init__(self, specimen: Specimen, folder: Path, methods: BaseContext, also: frozenset[str]) -> None:
        self.specimen, self.record, self.began = specimen, folder / specimen.name.replace("/", "-"), time.monotonic()
        self.record.touch()
        self.process = methods.Process(target=_check_one, args=(specimen, self.record, also))
        self.process.start()

    @property
    def is_over(self) -> bool:
        return self.process.exitcode is not None or time.monotonic() - self.began > FILE_LIMIT_S

    def verdict(self) -> Verdict:
        """What its checks have written down; whatever is still running is ended."""
        seconds, status = time.monotonic() - self.began, self.process.exitcode
        self.end()
        stopped = f"stopped after {FILE_LIMIT_S} s" if status is None else f"the process ended with status {status}"
        return _verdict(self.specimen, self.record.read_text(encoding="utf-8"), stopped if status != 0 else "", seconds)

    def end(self) -> None:
        """Ends the process and whatever it has started."""
        if FORKS:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()  # it may have no group of its own yet
        self.process.join()


def _warm_up() -> None:
    """Imports what the checks need, in one thread, so that forks find it done."""
    import fastapi.testclient  # noqa: F401
    import pytest  # noqa: F401
    import torch
    from transformers import GPT2LMHeadModel, LlamaForCausalLM, PreTrainedTokenizerFast, Qwen3ForCausalLM  # noqa: F401

    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()  # pytest collects garbage at its end: what was imported here need not be gone through each time
    warnings.filterwarnings("ignore", message=".*multi-threaded.*fork.*", category=DeprecationWarning)


def _check_one(specimen: Specimen, record: Path, also: frozenset[str]) -> None:
    """In the process of one specimen: run its step's checks and write a line for each start and end of a check."""
    if FORKS:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    import pytest
    import torch

    torch.set_num_threads(1)
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with record.open("a", encoding="utf-8") as lines, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        options = ["--impl", "reference", "--step-file", f"{specimen.step.number}={specimen.path}", "-q", "--tb=no"]
        options += ["-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "pytest_timeout"]
        options += ["--timeout", str(CHECK_LIMIT_S)]
        if hasattr(signal, "SIGALRM"):
            options += ["-o", "timeout_method=signal"]
        if not specimen.is_fault:
            options += ["-m", "not stretch and not gpu and not real"]
        pytest.main([str(specimen.step.test_file), *options], plugins=[_Recorder(specimen, lines, also)])
    os._exit(0)


class _Recorder:
    """A plugin of pytest. After a fault's first failure it runs only the checks that the fault names, and `also`."""

    def __init__(self, specimen: Specimen, lines: TextIO, also: frozenset[str]) -> None:
        self.specimen, self.lines, self.also = specimen, lines, also
        self.failed_at: float | None = None

    def _is_wanted(self, check: str) -> bool:
        if self.failed_at is None or not self.specimen.is_fault or check in self.specimen.caught_by:
            return True
        return check in self.also and time.monotonic() - self.failed_at < CURIOSITY_S

    def _write(self, what: str, check: str, text: str = "") -> None:
        print(json.dumps([what, check, text]), file=self.lines, flush=True)

    def pytest_collection_modifyitems(self, items) -> None:
        items.sort(key=lambda item: item.get_closest_marker("stretch") is not None)  # as the runner has it

    def pytest_runtest_protocol(self, item, nextitem):
        if not self._is_wanted(item.name):
            return True
        self._write("started", item.name)
        return None

    def pytest_exception_interact(self, node, call, report) -> None:
        self._write("failed", node.name, f"{call.excinfo.typename}: {call.excinfo.value}")
        self.failed_at = self.failed_at or time.monotonic()

    def pytest_runtest_logreport(self, report) -> None:
        if report.skipped or (report.passed and report.when == "call"):
            self._write(report.outcome, report.nodeid.rpartition("::")[2])


def _verdict(specimen: Specimen, record: str, ended: str, seconds: float) -> Verdict:
    verdict = Verdict(specimen.name, ended=ended, seconds=round(seconds, 2))
    current = None
    for line in record.splitlines(keepends=True):
        if not line.endswith("\n"):
            break  # it was ended while it wrote
        what, check, text = json.loads(line)
        current = check if what == "started" else None
        if what == "failed":
            verdict.failed[check] = verdict.failed.get(check, "") + text
        elif what in ("passed", "skipped"):
            getattr(verdict, what).append(check)
    if current is not None:  # this check never came back
        verdict.failed[current] = ended or "the process ended by itself, with status 0"
    return verdict


class Zoo:
    """The zoo in a process of its own, asked from a test: verdicts are waited for, each until it is there."""

    def __init__(self, specimens: Sequence[Specimen]) -> None:
        command = [sys.executable, "-m", "tests.tools.zoo", "--json"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, **pipes)
        with self.process.stdin as asked:
            asked.writelines(f"{specimen.path}\n" for specimen in specimens)
        self.asked = {specimen.name for specimen in specimens}
        self.known: dict[str, Verdict] = {}

    def verdict_on(self, specimen: Specimen) -> Verdict:
        if specimen.name not in self.asked:
            raise RuntimeError(f"{specimen.name} was not there, or not readable, when the zoo was asked")
        while specimen.name not in self.known:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the zoo ended before its verdict on {specimen.name}")
            verdict = Verdict(**json.loads(line))
            self.known[verdict.name] = verdict
        return self.known[specimen.name]

    def close(self) -> None:
        self.process.terminate()
        self.process.stdout.close()
        self.process.wait()


def main(arguments: Sequence[str]) -> int:
    """Prints a line for each file; 1 where a file does not prove what it promises.

    With `--json` it reads the files from stdin, a line each, and prints the verdicts as JSON.
    """
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))  # on the way out the running checks are ended
    if list(arguments) == ["--json"]:
        for verdict in verdicts([read_specimen(Path(line.rstrip("\n"))) for line in sys.stdin], curious=True):
            print(json.dumps(asdict(verdict)), flush=True)
        return 0
    try:
        specimens = [read_specimen(path) for path in specimen_paths(*map(Path, arguments))]
    except (ValueError, SyntaxError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    by_name, wrong = {specimen.name: specimen for specimen in specimens}, 0
    for verdict in verdicts(specimens):
        found = problems(by_name[verdict.name], verdict)
        wrong += bool(found)
        caught = f", caught by {', '.join(verdict.failed)}" if verdict.failed and not found else ""
        print(f"{'WRONG' if found else 'ok   '} {verdict.name} ({verdict.seconds} s{caught})", *found, sep="\n      ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
