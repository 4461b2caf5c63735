"""Fixtures of the checks: the step under test, freshly loaded for each check, and a clock in the check's hands."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from kata.solution import Solution, Source
from kata.steps import EXERCISES, REFERENCE
from tests.doubles.clock import FakeClock

Load = Callable[..., ModuleType]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kata")
    group.addoption(
        "--impl", default="exercises", metavar="WHOSE", help="whose code is checked: exercises, reference, or a folder"
    )
    group.addoption(
        "--step-file", action="append", default=[], metavar="N=FILE", help="take step N from this file; repeatable"
    )


@pytest.fixture(scope="session")
def solution_sources(request: pytest.FixtureRequest) -> dict[int, Source]:
    """Step number to file, from `--impl` and `--step-file`."""
    impl = request.config.getoption("--impl")
    folder = {"exercises": EXERCISES, "reference": REFERENCE}.get(impl) or Path(impl).resolve()
    if not folder.is_dir():
        raise pytest.UsageError(f"--impl {impl}: there is no such folder (nor is it 'exercises' or 'reference')")
    sources: dict[int, Source] = dict(Solution.in_folder(folder).sources)
    for option in request.config.getoption("--step-file"):
        number, _, file = option.partition("=")
        if not number.isdigit() or not file:
            raise pytest.UsageError(f"--step-file {option}: write it as N=FILE")
        sources[int(number)] = Path(file).resolve()
    return sources


@pytest.fixture
def load(request: pytest.FixtureRequest, solution_sources: Mapping[int, Source]) -> Iterator[Load]:
    """`load(n=this file's step, under={number: module or file})`: the step's module, loaded afresh.

    `under` lays spies or other files in the place of the steps that it imports.
    """
    loaded: list[Solution] = []

    def load(number: int | None = None, under: Mapping[int, Source] | None = None) -> ModuleType:
        solution = Solution({**solution_sources, **(under or {})})
        loaded.append(solution)
        return solution.load(number or _step_number(request.node.path))

    yield load
    for solution in loaded:
        solution.unload()


@pytest.fixture
def step(load: Load) -> ModuleType:
    """The module of this file's step, freshly loaded: nothing is left from another check."""
    return load()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """A clock that moves only when the check says so.

    It stands in for every monotonic clock. Ask for it before `step`, or call `load()` after it, so that a step that
    imports a clock by name gets this one.
    """
    fake = FakeClock()
    monkeypatch.setattr("shared.clock.now", fake.now)
    for name in ("perf_counter", "monotonic"):
        monkeypatch.setattr(time, name, fake.now)
        monkeypatch.setattr(time, f"{name}_ns", fake.now_ns)
    return fake


def _step_number(test_file: Path) -> int:
    """The step that a file of checks belongs to, from its name: `test_04_generate_cached.py` is 4."""
    match = re.match(r"test_(\d\d)_", test_file.name)
    if not match:
        raise ValueError(f"{test_file.name} is no file of checks: say which step to load")
    return int(match[1])
