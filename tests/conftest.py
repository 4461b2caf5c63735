"""Fixtures of the checks: the step under test, freshly loaded for each check, and a clock in the check's hands."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from kata import evidence, guards, warm
from kata.solution import Solution, Source
from kata.steps import step_number
from tests.doubles.clock import FakeClock

Load = Callable[..., ModuleType]

# Tiny models gain nothing from a second thread, and on a busy machine the threads wait for each other. Set before
# torch is imported; a thread count in the environment wins.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    guards.add_options(parser)
    evidence.add_options(parser)
    warm.add_options(parser)


@pytest.hookimpl(trylast=True)  # the recorder mutes the terminal reporter, which is there by then
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--evidence"):
        evidence.prepare(config)
    if config.getoption("--warm"):
        from tests.doubles import ahead

        ahead.import_libraries([step_number(Path(file)) for file in config.args])
        warm.install(config, ahead.jobs, ahead.in_fork)
    elif config.getoption("--evidence"):
        evidence.install(config, evidence.orders_from_stdin())
    else:
        guards.install(config)


@pytest.fixture(scope="session")
def solution_sources(request: pytest.FixtureRequest) -> dict[int, Source]:
    """Step number to file, from `--impl` and `--step-file`."""
    return dict(guards.sources_of(request.config))


@pytest.fixture
def load(request: pytest.FixtureRequest, solution_sources: Mapping[int, Source]) -> Iterator[Load]:
    """`load(n=this file's step, under={number: module or file})`: the step's module, loaded afresh.

    `under` lays spies or other files in the place of the steps that it imports.
    """
    loaded: list[Solution] = []

    def load(number: int | None = None, under: Mapping[int, Source] | None = None) -> ModuleType:
        solution = Solution({**solution_sources, **(under or {})})
        loaded.append(solution)
        return solution.load(number or step_number(request.node.path))

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
    monkeypatch.setattr("timeit.default_timer", fake.now)
    for name in ("perf_counter", "monotonic"):
        monkeypatch.setattr(time, name, fake.now)
        monkeypatch.setattr(time, f"{name}_ns", fake.now_ns)
    return fake
