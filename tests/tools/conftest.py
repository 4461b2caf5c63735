"""The zoo takes longest: where its tests are to be run, its process starts first and works beside the other tests."""

import os
import signal
from pathlib import Path

import pytest

from tests.tools.schedule import JOBS, PLACES
from tests.tools.specimens import FAULTS, is_readable, read_specimen, specimen_paths
from tests.tools.zoo import Zoo

ZOO = pytest.StashKey[Zoo]()


def pytest_configure() -> None:
    """A shell's background job ignores Ctrl-C, and so would every process that a test starts and interrupts."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    wanted: dict[Path, None] = {}
    for item in session.items:
        if "zoo" in getattr(item, "fixturenames", ()):
            parameters = item.callspec.params
            step = parameters.get("step")
            files = specimen_paths(FAULTS / f"step_{step.number:02d}") if step else [parameters["path"]]
            wanted.update(dict.fromkeys(files))
    if wanted and not session.config.option.collectonly:
        session.config.stash[ZOO] = zoo = Zoo([read_specimen(path) for path in wanted if is_readable(path)], JOBS)
        if hasattr(os, "setpriority"):  # it gets what the other tests, one after the other, leave of the processors
            os.setpriority(os.PRIO_PROCESS, zoo.process.pid, 10)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if zoo := session.config.stash.get(ZOO, None):
        zoo.close()


@pytest.fixture(scope="session")
def zoo(pytestconfig: pytest.Config) -> Zoo:
    """Verdicts on the files that the selected tests ask for."""
    zoo = pytestconfig.stash[ZOO]
    zoo.take_places(PLACES)  # the other tests are done: those of the zoo come last
    return zoo
