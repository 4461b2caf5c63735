"""Runs a step's checks on the zoo: wrong solutions that must be caught, and right ones that must pass.

    python -m tests.tools.zoo tests/faults/step_04/feeds_everything.py    one file, or several
    python -m tests.tools.zoo tests/faults/step_04 tests/variants         all files of a folder

Each file is laid over the reference and judged in a process of its own. torch, transformers and FastAPI are imported
once, and that process is forked for each file; where there is no safe fork, each process starts from nothing.
"""

import ast
import contextlib
import gc
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import wait
from pathlib import Path

from kata.steps import ROOT, TESTS, Step, get_step

FAULTS, VARIANTS = TESTS / "faults", TESTS / "variants"
AT_ONCE = 2
CHECK_LIMIT_S, FILE_LIMIT_S = 15, 60
FORKS = sys.platform == "linux"  # elsewhere the system's own libraries may hold threads, and a fork may crash
FIELD = re.compile(r"^(Caught by|Says|Source): *(.*)$")


@dataclass(frozen=True)
class Specimen:
    """One file of the zoo and what its docstring promises."""

    path: Path
    step: Step
    is_fault: bool
    caught_by: tuple[str, ...] = ()
    says: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Short and unique: `faults/step_04/feeds_everything`."""
        return self.path.relative_to(TESTS).with_suffix("").as_posix()


@dataclass
class Verdict:
    """What the checks said: names of checks in the order in which they ran; failures with the failure's own text."""

    name: str
    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    ended: str = ""  # how the process ended, where it did not end by itself
    seconds: float = 0.0


def specimen_paths(*places: Path) -> list[Path]:
    """The files of the zoo, all of them or those at the places, in order."""
    found = [place.resolve() for place in places or (FAULTS, VARIANTS)]
    return sorted(path for place in found for path in (place.rglob("*.py") if place.is_dir() else [place]))


def read_specimen(path: Path) -> Specimen:
    """The file's step (from its folder) and its promises; `ValueError` that says what its docstring lacks."""
    is_fault = path.is_relative_to(FAULTS)
    step = get_step(int(path.parent.name.removeprefix("step_")))
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not docstring:
        raise ValueError(f"{path.name}: its first line must be a docstring that says what is wrong or different")
    fields = _fields(docstring)
    if is_fault and not (fields["Caught by"] and fields["Says"]):
        raise ValueError(f"{path.name}: a fault's docstring needs 'Caught by: test_…' and 'Says: a phrase'")
    names = tuple(name for text in fields["Caught by"] for name in re.split(r"[,\s]+", text) if name)
    return Specimen(path, step, is_fault, names, tuple(fields["Says"]))


def _fields(docstring: str) -> dict[str, list[str]]:
    """The marked lines of a docstring; an indented line goes on with the one above it."""
    fields: dict[str, list[str]] = {"Caught by": [], "Says": [], "Source": []}
    current: list[str] | None = None
    for line in docstring.splitlines():
        if match := FIELD.match(line):
            current = fields[match[1]]
            current.append(match[2].strip())
        elif current is not None and line.startswith(" "):
            current[-1] += " " + line.strip()
        else:
            current = None
    return fields


def problems(specimen: Specimen, verdict: Verdict) -> list[str]:
    """Why the specimen does not prove what it promises; nothing where it does."""
    if not verdict.passed and not verdict.failed:
        return [f"no check ran: {verdict.ended or 'nothing was collected'}"]
    if not specimen.is_fault:
        return [f"{check} fails: {text}" for check, text in verdict.failed.items()]
    if not verdict.failed:
        return ["no check fails: this wrong solution passes"]
    first, first_text = next(iter(verdict.failed.items()))
    if first not in specimen.caught_by:
        return [f"the first check that fails is {first}, which 'Caught by' does not name: {first_text}"]
    said = _plain("\n".join(text for check, text in verdict.failed.items() if check in specimen.caught_by))
    return [f"no failure text says {phrase!r}: {said}" for phrase in specimen.says if _plain(phrase) not in said]


def _plain(text: str) -> str:
    return " ".join(text.split())


def verdicts(specimens: Sequence[Specimen]) -> Iterator[Verdict]:
    """Runs the checks of each specimen, two at a time, and gives the verdicts as they come, in any order."""
    methods = multiprocessing.get_context("fork" if FORKS else "spawn")
    if FORKS:
        _warm_up()
    waiting, running = list(specimens), {}
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                specimen = waiting.pop(0)
                record = Path(folder, specimen.name.replace("/", "-"))
                record.touch()
                process = methods.Process(target=_check_one, args=(specimen, record))
                process.start()
                running[process.sentinel] = (process, specimen, record, time.monotonic())
            wait(list(running), timeout=0.5)
            for sentinel, (process, specimen, record, started) in list(running.items()):
                seconds = time.monotonic() - started
                ended = ""
                if process.exitcode is None and seconds < FILE_LIMIT_S:
                    continue
                if process.exitcode is None:
                    ended = f"stopped after {FILE_LIMIT_S} s"
                elif process.exitcode:
                    ended = f"the process ended with status {process.exitcode}"
                _end(process)
                del running[sentinel]
                yield _verdict(specimen, record.read_text(encoding="utf-8"), ended, seconds)


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


def _end(process: multiprocessing.Process) -> None:
    """Ends the process and whatever it has started."""
    if FORKS:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.join()


def _check_one(specimen: Specimen, record: Path) -> None:
    """In the process of one specimen: run its step's checks and write a line for each start and end of a check."""
    if FORKS:
        os.setsid()
    import pytest
    import torch

    torch.set_num_threads(1)
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with record.open("a", encoding="utf-8") as lines, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        options = ["--impl", "reference", "--step-file", f"{specimen.step.number}={specimen.path}", "--timeout"]
        options += [
            str(CHECK_LIMIT_S),
            "-q",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:faulthandler",
            "-p",
            "pytest_timeout",
        ]
        if hasattr(signal, "SIGALRM"):
            options += ["-o", "timeout_method=signal"]
        if not specimen.is_fault:
            options += ["-m", "not stretch and not gpu and not real"]
        pytest.main([str(specimen.step.test_file), *options], plugins=[_Recorder(specimen, lines)])
    os._exit(0)


class _Recorder:
    """A plugin of pytest. After a fault's first failure it runs only the checks that the fault names."""

    def __init__(self, specimen: Specimen, lines) -> None:
        self.specimen, self.lines, self.any_failed = specimen, lines, False

    def _write(self, what: str, check: str, text: str = "") -> None:
        print(json.dumps([what, check, text]), file=self.lines, flush=True)

    def pytest_runtest_protocol(self, item, nextitem):
        if self.any_failed and self.specimen.is_fault and item.name not in self.specimen.caught_by:
            return True
        self._write("started", item.name)
        return None

    def pytest_exception_interact(self, node, call, report) -> None:
        self._write("failed", node.name, f"{call.excinfo.typename}: {call.excinfo.value}")
        self.any_failed = True

    def pytest_runtest_logreport(self, report) -> None:
        if report.skipped or (report.passed and report.when == "call"):
            self._write(report.outcome, report.nodeid.rpartition("::")[2])


def _verdict(specimen: Specimen, record: str, ended: str, seconds: float) -> Verdict:
    verdict = Verdict(specimen.name, ended=ended, seconds=round(seconds, 2))
    current = None
    for line in record.splitlines():
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
        command = [sys.executable, "-m", "tests.tools.zoo", "--json", *(str(specimen.path) for specimen in specimens)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
        self.known: dict[str, Verdict] = {}

    def verdict_on(self, specimen: Specimen) -> Verdict:
        while specimen.name not in self.known:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the zoo ended before its verdict on {specimen.name}")
            verdict = Verdict(**json.loads(line))
            self.known[verdict.name] = verdict
        return self.known[specimen.name]

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate()


def main(arguments: Sequence[str]) -> int:
    """Prints a line for each file, or the verdicts as JSON; 1 where a file does not prove what it promises."""
    as_json, places = "--json" in arguments, [Path(place) for place in arguments if place != "--json"]
    try:
        specimens = {specimen.name: specimen for specimen in map(read_specimen, specimen_paths(*places))}
    except (ValueError, SyntaxError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    wrong = 0
    for verdict in verdicts(list(specimens.values())):
        if as_json:
            print(json.dumps(asdict(verdict)), flush=True)
            continue
        found = problems(specimens[verdict.name], verdict)
        wrong += bool(found)
        caught = f", caught by {', '.join(verdict.failed)}" if verdict.failed and not found else ""
        print(f"{'WRONG' if found else 'ok   '} {verdict.name} ({verdict.seconds} s{caught})", *found, sep="\n      ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
