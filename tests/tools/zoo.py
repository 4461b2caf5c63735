"""Runs a step's checks on the zoo: wrong solutions that must be caught, and right ones that must pass.

    python -m tests.tools.zoo tests/faults/step_04/feeds_everything.py    one file, or several
    python -m tests.tools.zoo tests/faults/step_04 tests/variants         all files of a folder

Each file is laid over the reference and judged in a process of its own. `make prove` and `make test` ask for the whole
zoo, through the class `Zoo`.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path

from kata.steps import ROOT
from tests.tools.recorder import read_record
from tests.tools.specimens import Specimen, Verdict, judge, read_specimen, required_checks, specimen_paths
from tests.tools.warm import FORKS, Start, with_processes

JOBS = 2
FILE_LIMIT_S = 60
Tell = Callable[[Verdict], None]
WAITING_STEPS = (8,)  # their checks wait for answers that a fault never gives: they run beside those that compute


def run(
    specimens: Sequence[Specimen], tell: Callable[[Verdict], None], jobs: int = JOBS, curious: bool = False
) -> None:
    """Runs the checks of each specimen, so many at a time, and tells the verdicts as they come.

    curious: on a fault also run the checks that have not caught any fault so far: do they catch anything at all?
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
        for specimen in specimens:
            self.waiting[specimen.step.number in WAITING_STEPS].append(specimen)
        self.running: list[_Running] = []
        self.idle = {one.step: set(required_checks(one.step)) if curious else set() for one in specimens}

    def run(self, tell: Tell, jobs: int) -> None:
        try:
            while self.running or any(self.waiting.values()):
                self._fill(jobs)
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
        return self.process.exitcode is not None or time.monotonic() - self.began > FILE_LIMIT_S

    def verdict(self) -> Verdict:
        """What its checks have written down; whatever is still running is ended."""
        seconds, status = time.monotonic() - self.began, self.process.exitcode
        self.end()
        stopped = f"stopped after {FILE_LIMIT_S} s" if status is None else f"the process ended with status {status}"
        record = self.record.read_text(encoding="utf-8")
        return read_record(self.specimen.name, record, stopped if status != 0 else "", seconds)

    def end(self) -> None:
        """Ends the process and whatever it has started."""
        if FORKS:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()  # it may have no group of its own yet
        self.process.join()


class Zoo:
    """The zoo in a process of its own: verdicts are waited for, each until it is there."""

    def __init__(self, specimens: Sequence[Specimen], jobs: int = JOBS) -> None:
        command = [sys.executable, "-m", "tests.tools.zoo", "--json", "--jobs", str(jobs)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, **pipes)
        with self.process.stdin as asked:
            asked.writelines(f"{specimen.path}\n" for specimen in specimens)
        self.asked = {specimen.name for specimen in specimens}
        self.known: dict[str, Verdict] = {}

    def verdicts(self) -> Iterator[Verdict]:
        """Those that are not known yet, as they come."""
        for line in self.process.stdout:
            verdict = Verdict(**json.loads(line))
            self.known[verdict.name] = verdict
            yield verdict

    def verdict_on(self, specimen: Specimen) -> Verdict:
        if specimen.name not in self.asked:
            raise RuntimeError(f"{specimen.name} was not there, or not readable, when the zoo was asked")
        if specimen.name not in self.known and not any(one.name == specimen.name for one in self.verdicts()):
            raise RuntimeError(f"the zoo ended before its verdict on {specimen.name}")
        return self.known[specimen.name]

    def close(self) -> None:
        self.process.terminate()
        self.process.stdout.close()
        self.process.wait()


def main() -> int:
    """Prints a line for each file; 1 where a file does not prove what it promises."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.zoo", description="Judge files of the zoo.")
    parser.add_argument("files", nargs="*", type=Path, help="files or folders of the zoo")
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--json", action="store_true", help="take the files from stdin, a line each; print JSON")
    wish = parser.parse_args()
    if not wish.files and not wish.json:
        parser.error("which files?")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: sys.exit(1))  # on the way out the running checks are ended
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what pytest has to say goes nowhere
        if wish.json:
            specimens = [read_specimen(Path(line.rstrip("\n"))) for line in sys.stdin]
            run(specimens, lambda verdict: print(json.dumps(asdict(verdict)), file=out, flush=True), wish.jobs, True)
            return 0
        try:
            specimens = [read_specimen(path) for path in specimen_paths(*wish.files)]
        except (ValueError, SyntaxError, OSError) as error:
            print(error, file=sys.stderr)
            return 1
        return _tell_each(specimens, wish.jobs, out)


def _tell_each(specimens: Sequence[Specimen], jobs: int, out) -> int:
    by_name, wrong = {specimen.name: specimen for specimen in specimens}, []

    def tell(verdict: Verdict) -> None:
        judged = judge(by_name[verdict.name], verdict)
        is_good = judged.outcome.is_good
        wrong.extend([] if is_good else [verdict.name])
        caught = f", caught by {', '.join(verdict.failed)}" if verdict.failed and is_good else ""
        told = f"{'ok   ' if is_good else 'WRONG'} {verdict.name} ({verdict.seconds} s{caught})"
        print(told, *judged.problems, sep="\n      ", file=out, flush=True)

    run(specimens, tell, jobs)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
