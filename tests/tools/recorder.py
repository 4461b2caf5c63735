"""A plugin of pytest in the process of one specimen: which checks run, and a line of JSON for each start and end.

It knows nothing of promises kept or broken; whoever reads its lines sees also how far a process came that never ended.
"""

import json
import random
import sys
import time
from collections.abc import Sequence
from typing import TextIO

import pytest

from kata.describe import describe
from kata.looks_like import signature_of
from tests.tools.specimens import Specimen, Verdict, unsaid

CHECK_LIMIT_S = 60  # on a busy machine, which gives the zoo what others leave
CURIOSITY_S = 5  # for checks beyond those that a fault names


class Recorder:
    """Runs a variant's required checks. On a fault it stops at the first failure, once all its phrases are said.

    Phrases that are missing then are looked for in the other checks that the fault names. also: checks to be run after
    a fault's failure all the same.
    """

    def __init__(self, specimen: Specimen, lines: TextIO, also: frozenset[str] = frozenset()) -> None:
        self.specimen, self.lines, self.also = specimen, lines, also
        self.failed: dict[str, str] = {}
        self.failed_at = 0.0

    def chosen(self, items: Sequence[pytest.Item]) -> list[pytest.Item]:
        """The checks of the specimen's step, in the runner's order: those for stars come last, on faults alone."""
        checks = [item for item in items if item.path == self.specimen.step.test_file]
        required = [item for item in checks if item.get_closest_marker("stretch") is None]
        return required + [item for item in checks if item not in required and self.specimen.is_fault]

    def _is_wanted(self, check: str) -> bool:
        if not self.failed or not self.specimen.is_fault:
            return True
        if check in self.specimen.caught_by and unsaid(self.specimen, self.failed):
            return True
        return check in self.also and time.monotonic() - self.failed_at < CURIOSITY_S

    def _write(self, what: str, check: str, text: str = "") -> None:
        print(json.dumps([what, check, text]), file=self.lines, flush=True)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = self.chosen(items)

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if not self._is_wanted(item.name):
            return True
        self._write("started", item.name)
        _seed(self.specimen.seed)
        return None

    def pytest_exception_interact(self, node: pytest.Item, call: pytest.CallInfo) -> None:
        text = f"{call.excinfo.typename}: {call.excinfo.value}"
        self._write("failed", node.name, text)
        self._write("signed", node.name, signature_of(node.name, describe(call.excinfo.value, ())))
        self.failed_at = self.failed_at or time.monotonic()
        self.failed[node.name] = self.failed.get(node.name, "") + text

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped or (report.passed and report.when == "call"):
            self._write(report.outcome, report.nodeid.rpartition("::")[2])


def _seed(seed: int) -> None:
    random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(seed)  # that of the CPU alone, at a hundredth of the cost


def read_record(name: str, record: str, ended: str, seconds: float) -> Verdict:
    """The verdict that the lines tell. ended: how the process ended, where it did not end by itself."""
    verdict = Verdict(name, ended=ended, seconds=round(seconds, 2))
    current = None
    for line in record.splitlines(keepends=True):
        if not line.endswith("\n"):
            break  # it was ended while it wrote
        what, check, text = json.loads(line)
        current = check if what == "started" else None
        if what == "failed":
            verdict.failed[check] = verdict.failed.get(check, "") + text
        elif what == "signed":
            verdict.signatures.setdefault(check, text)
        elif what in ("passed", "skipped"):
            getattr(verdict, what).append(check)
    if current is not None:  # this check never came back
        verdict.failed[current] = ended or "the process ended by itself, with status 0"
    return verdict
