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
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from typing import TextIO

from kata.steps import ROOT
from tests.tools.schedule import PLACES, run
from tests.tools.specimens import Specimen, Verdict, judge, read_specimen, specimen_paths
from tests.tools.warm import FORKS


class Zoo:
    """The zoo in a process of its own: verdicts are waited for, each until it is there."""

    program = ("-m", "tests.tools.zoo")

    def __init__(self, specimens: Sequence[Specimen], jobs: int = PLACES) -> None:
        command = [sys.executable, *self.program, "--json", "--jobs", str(jobs)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, **pipes)
        self.told: SimpleQueue[str] = SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)  # a full pipe would stop the zoo
        self.reader.start()
        self._write([*(str(specimen.path) for specimen in specimens), ""])
        self.asked = {specimen.name for specimen in specimens}
        self.known: dict[str, Verdict] = {}

    def verdicts(self) -> Iterator[Verdict]:
        """Those that are not known yet, as they come."""
        for line in iter(self.told.get, ""):
            verdict = Verdict(**json.loads(line))
            self.known[verdict.name] = verdict
            yield verdict
        self.told.put("")  # the end stays there, for whoever asks again

    def verdict_on(self, specimen: Specimen) -> Verdict:
        if specimen.name not in self.asked:
            raise RuntimeError(f"{specimen.name} was not there, or not readable, when the zoo was asked")
        if specimen.name not in self.known and not any(one.name == specimen.name for one in self.verdicts()):
            raise RuntimeError(f"the zoo ended before its verdict on {specimen.name}")
        return self.known[specimen.name]

    def take_places(self, jobs: int) -> None:
        """From now on so many at a time; without effect where a pipe cannot be looked into."""
        self._write([str(jobs)])

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.told.put(line)
        self.told.put("")

    def _write(self, lines: Sequence[str]) -> None:
        with contextlib.suppress(OSError):  # it has ended: whoever waits for a verdict is told
            self.process.stdin.write("".join(f"{line}\n" for line in lines))
            self.process.stdin.flush()


class Orders:
    """What `Zoo` writes: the files, an empty line, and later perhaps another number of places."""

    def __init__(self, jobs: int, source: int = 0) -> None:
        self.jobs, self.source = jobs, source
        self.specimens = [read_specimen(Path(line)) for line in iter(self._line, "")]

    def __call__(self) -> int:
        """How many may run at a time; ends this process where nobody is there any more to read a verdict."""
        while FORKS and select.select([self.source], [], [], 0)[0]:
            line = self._line()
            if not line:
                sys.exit(1)
            self.jobs = int(line)
        return self.jobs

    def _line(self) -> str:
        """A line without its end, read byte by byte: what a buffer holds cannot be waited for."""
        line = b""
        while (byte := os.read(self.source, 1)) not in (b"\n", b""):
            line += byte
        return os.fsdecode(line.removesuffix(b"\r"))


def main() -> int:
    """Prints a line for each file; 1 where a file does not prove what it promises."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.zoo", description="Judge files of the zoo.")
    parser.add_argument("files", nargs="*", type=Path, help="files or folders of the zoo")
    parser.add_argument("--jobs", type=int, default=PLACES)
    parser.add_argument("--json", action="store_true", help="take the files from stdin, a line each; print JSON")
    wish = parser.parse_args()
    if not wish.files and not wish.json:
        parser.error("which files?")
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out, open(os.devnull, "w") as nowhere, _leaving_on_signals():
        os.dup2(nowhere.fileno(), 1)  # what pytest has to say goes nowhere
        if wish.json:
            orders = Orders(wish.jobs)
            run(orders.specimens, lambda one: print(json.dumps(asdict(one)), file=out, flush=True), orders, True)
            return 0
        try:
            specimens = [read_specimen(path) for path in specimen_paths(*wish.files)]
        except (ValueError, SyntaxError, OSError) as error:
            print(error, file=sys.stderr)
            return 1
        return _tell_each(specimens, wish.jobs, out)


@contextlib.contextmanager
def _leaving_on_signals() -> Iterator[None]:
    """A signal ends the running checks as well; once there are none, it ends this process without a word."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: sys.exit(1))
    yield
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def _tell_each(specimens: Sequence[Specimen], jobs: int, out: TextIO) -> int:
    by_name, wrong = {specimen.name: specimen for specimen in specimens}, []

    def tell(verdict: Verdict) -> None:
        judged = judge(by_name[verdict.name], verdict)
        is_good = judged.outcome.is_good
        wrong.extend([] if is_good else [verdict.name])
        caught = f", caught by {', '.join(verdict.failed)}" if verdict.failed and is_good else ""
        told = f"{'ok   ' if is_good else 'WRONG'} {verdict.name} ({verdict.seconds} s{caught})"
        print(told, *judged.problems, sep="\n      ", file=out, flush=True)

    run(specimens, tell, lambda: jobs)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
