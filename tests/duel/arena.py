"""The duel's own process: a pytest inside it runs the learner's tests on every server and says what happened.

    python -m tests.duel.arena < ORDERS > EVENTS

ORDERS are lines of JSON: an object of step numbers to files asks for the required tests, another line for the stretch
tests. EVENTS are lines of JSON: `begin`, then `start` and `over` for each test (or `uncollected`, where the file holds
none that pytest could run), then `end`; for the second order the same again, without `begin`. Prints, `os._exit` and
endless loops of the learner's file end here and reach no check.
"""

import faulthandler
import gc
import inspect
import json
import math
import os
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

import pytest
from fastapi.testclient import TestClient

from tests.duel.families import REQUIRED, STRETCH, Fight, fights_for, probe_of
from tests.duel.loading import Loader
from tests.duel.quick_client import quick_client
from tests.duel.servers import SERVERS
from tests.duel.the_reference import step_8

LOADING_MAY_TAKE_S = 50  # a file may import torch
UNUSED = ("faulthandler", "terminal", "unraisableexception", "threadexception", "pastebin")
LONGEST = 2000  # characters of any text
A_TEST_MAY_TAKE_S = 10  # it takes milliseconds; one that takes so long will never come back
A_WATCH_SERVES_S = 1  # for all tests that begin so soon: to set it costs more than to run one


class Round(pytest.Module):
    """The learner's file, freshly loaded, against one server."""

    fight: Fight
    loader: Loader
    module: ModuleType | None = None

    def _getobj(self) -> ModuleType:
        if self.module is None:
            self.module = self.loader.load(self.config)
        return self.module


class Rounds(pytest.File):
    """All rounds, as if each were a file of its own: the fixtures of one are not seen in another."""

    arena: "Arena"

    def collect(self) -> Iterator[Round]:
        for number, fight in enumerate(self.arena.fights):
            single = Round.from_parent(self, path=self.path.with_name(f"round_{number}.py"))
            single.fight, single.loader = fight, self.arena.loader
            yield single


class Arena:
    """The plugin: makes the rounds, hands out the client, tells the events."""

    def __init__(self, loader: Loader, fights: Sequence[Fight], events: TextIO) -> None:
        self.loader, self.fights, self.events = loader, fights, events
        self.over: dict[str, Any] = {}  # the facts on the test that runs
        self.met: list[dict[str, Any]] = []
        self.watched_since = -math.inf

    def tell(self, event: str, **facts: Any) -> None:
        print(json.dumps({"event": event, **facts}), file=self.events, flush=True)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Rounds | None:
        if file_path.suffix != ".duel":
            return None
        rounds = Rounds.from_parent(parent, path=file_path)
        rounds.arena = self
        return rounds

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            text = re.sub(r"round_\d+\.py", Path(self.loader.file).name, str(report.longrepr))
            self.tell("uncollected", text=text[:LONGEST])

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        items[:] = [item for item in items if item.getparent(Round).fight.has(item.originalname)]

    @pytest.fixture
    def client(self, request: pytest.FixtureRequest) -> Iterator[TestClient]:
        """A client of a fresh app of this round's server, while its lifespan runs."""
        server = SERVERS[request.node.getparent(Round).fight.server]
        with quick_client(server.make()) as client:
            self.over["client"] = True
            client.event_hooks = {"response": [self._note]}
            yield client

    def _note(self, response: Any) -> None:
        """What was asked, and the last answer, where it says no."""
        asked = f"{response.request.method} {response.request.url.path}"
        self.over["asked"] = sorted({*self.over["asked"], asked})
        self.over["answer"] = ""
        if response.status_code >= 400:
            self.over["answer"] = f"{asked} was answered {response.status_code}{_problem(response.read())}"

    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef) -> None:
        if fixturedef.argname == "client" and fixturedef.func.__module__ != __name__:
            self.over["own_client"] = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Function) -> None:
        fight = item.getparent(Round).fight
        self.over = {"server": fight.server, "alone": fight.alone, "test": item.originalname, "outcome": "passed"}
        self.over |= {"client": False, "own_client": False, "awaits": inspect.iscoroutinefunction(item.obj)}
        self.over["asked"] = []
        self.tell("start", **self.over)
        if time.monotonic() - self.watched_since > A_WATCH_SERVES_S:
            faulthandler.dump_traceback_later(A_TEST_MAY_TAKE_S, exit=True)
            self.watched_since = time.monotonic()

    def pytest_runtest_makereport(self, item: pytest.Function, call: pytest.CallInfo) -> pytest.TestReport:
        """A report without the traceback that pytest would format: there are many, and nobody reads them."""
        outcome, reason = "passed", None
        if call.excinfo is not None:
            outcome = "skipped" if call.excinfo.errisinstance(pytest.skip.Exception) else "failed"
            reason = (str(item.path), 0, "skipped") if outcome == "skipped" else None
            if "error" not in self.over:
                self.over |= self._told(call.excinfo)
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, reason, call.when)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = f"x{report.outcome}" if hasattr(report, "wasxfail") else report.outcome
        if outcome != "passed" and self.over["outcome"] != "failed":
            self.over["outcome"] = outcome

    def _told(self, error: pytest.ExceptionInfo) -> dict[str, Any]:
        """What was raised, and the last line of the learner's file that led to it."""
        places = [entry for entry in error.traceback if str(entry.path) == self.loader.file]
        line = places[-1].lineno + 1 if places else 0
        return {"error": error.typename, "text": str(error.value)[:LONGEST], "line": line}

    def pytest_runtest_logfinish(self) -> None:
        self.tell("over", **self.over)
        self.met.append(self.over)


def _problem(body: bytes) -> str:
    """The first problem that a 422 names, as `, max_tokens: Extra inputs are not permitted`."""
    try:
        first = json.loads(body)["detail"][0]
        return f", {'.'.join(map(str, first['loc'][1:]))}: {first['msg']}"[:200]
    except (ValueError, KeyError, IndexError, TypeError):
        return ""


def run(arena: Arena) -> None:
    """pytest on the arena's rounds, untouched by the settings, conftest files and plugins of the project."""
    faulthandler.dump_traceback_later(LOADING_MAY_TAKE_S, exit=True)
    with tempfile.TemporaryDirectory(prefix="duel-") as folder:
        settings, rounds = Path(folder, "pytest.ini"), Path(folder, "all.duel")
        settings.write_text("[pytest]\n", encoding="utf-8")
        rounds.touch()
        options = ["-s", "--noconftest", "-c", str(settings), "--rootdir", folder, "-p", "anyio.pytest_plugin"]
        options += ["--basetemp", str(Path(folder, "tmp"))]  # pytest would tidy up the one that all runs share
        options += ["-o", f"cache_dir={folder}/cache"]
        plugins = [f"no:{name}" for name in UNUSED]
        options += [option for plugin in plugins for option in ("-p", plugin)]
        if hasattr(pytest, "PytestReturnNotNoneWarning"):  # newer versions fail such a test by themselves
            options += ["-W", "error::pytest.PytestReturnNotNoneWarning"]
        pytest.main([str(rounds), *options], plugins=[arena])


def main() -> None:
    orders = os.fdopen(os.dup(0), encoding="utf-8")
    sources = {int(number): Path(file) for number, file in json.loads(orders.readline()).items()}
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    time.sleep = lambda seconds: None  # no server here gets better by waiting
    gc.freeze()  # what was imported is not gone through again and again
    faulthandler.dump_traceback_later(LOADING_MAY_TAKE_S, exit=True)
    step_8()

    print(json.dumps({"event": "begin"}), file=events, flush=True)
    loader = Loader(sources)
    for families in (REQUIRED, STRETCH):  # in this order: a stretch test that ends everything ends only itself
        probe = Arena(loader, probe_of(families), events)
        run(probe)
        if tests := {
            over["test"] for over in probe.met if over["client"] and over.get("error") != "NotImplementedError"
        }:
            run(Arena(loader, fights_for(tests), events))
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps({"event": "end"}), file=events, flush=True)
        if not orders.readline():
            break
    os._exit(0)  # threads that the file has left behind have no say


if __name__ == "__main__":
    main()
