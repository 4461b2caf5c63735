"""What the recorder writes down of each check, call by call, and what it does around it. Runs of pytest itself are in
`test_runner_evidence.py`.
"""

import codecs
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from kata import evidence, failure, signed
from kata.evidence import Recorder
from tests.tools import pretended
from tests.tools.pretended import ITEM_ID, PLACE, Handler, Item, call, raised

KEY = b"k" * 16


class Left(BaseException):
    """The process would have ended."""


STAR = ((), {})
A, B, C = Item("test_a"), Item("test_b"), Item("test_c", stretch=STAR)


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Handler:
    handler = Handler()
    monkeypatch.setattr(evidence, "faulthandler", handler)
    return handler


@pytest.fixture
def config(pytestconfig: pytest.Config) -> SimpleNamespace:
    """It keeps what is registered; its reporter is not the one that tells of this test."""
    reporter, registered = SimpleNamespace(_tw=None), {}
    plugins = {"terminalreporter": reporter}
    manager = SimpleNamespace(get_plugin=plugins.__getitem__, register=lambda one, name: registered.update({name: one}))
    return SimpleNamespace(pluginmanager=manager, registered=registered, reporter=reporter, option=pytestconfig.option)


@pytest.fixture
def make(tmp_path: Path, handler: Handler, config: SimpleNamespace, capfd) -> Iterator[Callable[..., Recorder]]:
    """Makes recorders, which leave by raising `Left`; what they have opened is closed at the end."""
    made: list[Recorder] = []
    (tmp_path / "evidence").write_bytes(b"before\n")
    (tmp_path / "dump").write_bytes(b"an older dump")

    def make(**changes: object) -> Recorder:
        files = {name: str(tmp_path / name) for name in ("evidence", "dump")}
        orders = {"key": KEY.hex(), "mark": "mark", "limit_s": 20.0, "keep_going": False, **files, **changes}
        made.append(Recorder(orders, config, {pretended.__file__}, leave))
        return made[-1]

    def leave(status: int) -> None:
        raise Left(status)

    yield make
    for one in made:
        for file in (one.evidence, one.dump, one.stream):
            os.close(file)


@pytest.fixture
def told(tmp_path: Path) -> Callable[[], list[dict]]:
    """The events so far, without their numbers, which are those of their places."""

    def told() -> list[dict]:
        events = signed.read((tmp_path / "evidence").read_bytes(), KEY)
        assert (tmp_path / "evidence").read_bytes().count(b"\n") == len(events) + 1
        return [{name: value for name, value in event.items() if name != "n"} for event in events]

    return told


def run(recorder: Recorder, item: Item, *errors: BaseException) -> None:
    recorder.pytest_runtest_protocol(item)
    for error in errors:
        recorder.pytest_runtest_makereport(item, call(error))
    recorder.pytest_runtest_logfinish()


def test_each_line_is_signed_numbered_and_added(make, told) -> None:
    recorder = make()
    recorder.write("first")
    recorder.write("second", why="so")
    assert told() == [{"event": "first"}, {"event": "second", "why": "so"}]


def test_a_forked_copy_says_nothing_and_leaves(make, told) -> None:
    recorder = make()
    for other in (recorder.pid - 1, recorder.pid + 1):
        recorder.pid = other
        with pytest.raises(Left, match=r"^1$"):
            recorder.write("first")
    assert told() == []


def test_only_what_cannot_be_collected_is_told(make, told) -> None:
    recorder = make()
    recorder.pytest_collectreport(SimpleNamespace(failed=False, longrepr="nothing"))
    recorder.pytest_collectreport(SimpleNamespace(failed=True, longrepr="a" * 10_000))
    (event,) = told()
    assert event["event"] == "uncollected" and event["why"].startswith("aaa") and len(event["why"]) < 5_000


def test_required_checks_come_first_in_their_order(make) -> None:
    items = [C, B, A]
    make().pytest_collection_modifyitems(items)
    assert items == [B, A, C]


def test_the_order_is_the_last_word_and_of_each_check_the_first_is_the_recorders() -> None:
    assert Recorder.pytest_collection_modifyitems.pytest_impl["trylast"]
    for name in ("protocol", "makereport", "logfinish"):
        assert getattr(Recorder, f"pytest_runtest_{name}").pytest_impl["tryfirst"]


def test_what_was_collected_is_told_and_its_code_remembered(make, told, request: pytest.FixtureRequest) -> None:
    recorder = make()
    recorder.pytest_collection_finish(SimpleNamespace(items=[request.node, A]))
    assert told() == [{"event": "collected", "checks": [request.node.name, "test_a"]}]
    assert set(recorder.codes) == {failure.expect, request.node.obj}


def test_a_check_begins_in_its_folder_with_its_mark_and_its_limit(make, told, handler, monkeypatch, tmp_path, capfd):
    recorder, home = make(), Path.cwd()
    monkeypatch.chdir(tmp_path)
    recorder.failed = {"kind": "of the check before"}
    print("before", end="")
    recorder.pytest_runtest_protocol(A)
    assert Path.cwd() == home
    assert told() == [{"event": "started", "check": "test_a", "limit_s": 20.0}]
    assert capfd.readouterr().out == "before\x1emark test_a\x1e"
    assert (recorder.running, recorder.failed) == (A, None)
    assert handler.calls == [("enable", recorder.dump), ("later", 20.0, True, recorder.dump)]
    for item, dump in ((B, b"a dump"), (A, b"new")):  # each begins an empty one
        recorder.pytest_runtest_protocol(item)
        assert (tmp_path / "dump").read_bytes() == b""
        os.write(recorder.dump, dump)
        assert (tmp_path / "dump").read_bytes() == dump


@pytest.mark.parametrize(
    ("mark", "limit_s"), [(((60, "thread"), {}), 60), (((), {"timeout": 70}), 70), (((), {}), 20.0), (((0,), {}), 20.0)]
)
def test_a_check_may_have_a_limit_of_its_own(make, told, handler: Handler, mark: tuple, limit_s: float) -> None:
    make().pytest_runtest_protocol(Item("test_a", timeout=mark))
    assert told()[0]["limit_s"] == handler.calls[-1][1] == limit_s


def test_a_check_that_raises_nothing_has_passed(make, told, handler, monkeypatch) -> None:
    recorder, now = make(), iter([10.0, 32.000_06])
    monkeypatch.setattr(evidence, "perf_counter", lambda: next(now))
    recorder.pytest_runtest_protocol(A)
    report = recorder.pytest_runtest_makereport(A, call())
    assert (report.outcome, report.nodeid, report.location, report.when) == ("passed", ITEM_ID, PLACE, "call")
    assert (report.longrepr, report.duration, report.keywords) == (None, 0.5, {})
    recorder.pytest_runtest_logfinish()
    assert told()[-1] == {"event": "finished", "check": "test_a", "failure": None, "seconds": 22.0001}
    assert recorder.running is None and A.session.shouldfail is False and handler.calls[-1] == ("cancel",)


def test_what_was_printed_goes_out_with_its_check_whatever_a_solution_has_made_of_a_stream(make, monkeypatch) -> None:
    recorder, flushed = make(), []
    with monkeypatch.context() as broken:
        broken.setattr(sys, "stdout", None)
        broken.setattr(sys, "stderr", SimpleNamespace(flush=lambda: flushed.append(recorder.running)))
        run(recorder, A)
    assert flushed == [A, A]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt("no"), pytest.skip.Exception("no")])
def test_whatever_was_raised_is_a_failure_and_the_first_is_told(make, told, error: BaseException) -> None:
    recorder, item = make(), Item("test_a")
    report = recorder.pytest_runtest_makereport(item, call(error))
    assert (report.outcome, report.longrepr) == ("failed", None)
    run(recorder, item, error, RuntimeError("in its wake"))
    failed = told()[-1]["failure"]
    assert (failed["type"], failed["message"], failed["frames"]) == (type(error).__name__, "no", [])
    assert item.session.shouldfail == "one failure is enough"


def test_a_failure_has_the_solutions_frames(make, told) -> None:
    run(make(), Item("test_a"), raised(ValueError("no")))
    assert [frame["file"] for frame in told()[-1]["failure"]["frames"]] == [pretended.__file__]


def test_after_a_star_or_where_all_are_wanted_it_goes_on(make) -> None:
    for recorder, item in ((make(), Item("test_c", stretch=STAR)), (make(keep_going=True), Item("test_a"))):
        run(recorder, item, ValueError("no"))
        assert item.session.shouldfail is False


def test_an_interrupt_is_a_failure_of_the_check_that_runs(make, told) -> None:
    recorder, interrupt = make(), SimpleNamespace(value=raised(KeyboardInterrupt("no")))
    recorder.pytest_keyboard_interrupt(interrupt)
    assert told() == []
    recorder.pytest_runtest_protocol(A)
    recorder.pytest_keyboard_interrupt(interrupt)
    assert (told()[-1]["event"], told()[-1]["failure"]["kind"]) == ("finished", "interrupt")
    recorder.pytest_runtest_protocol(B)
    recorder.pytest_runtest_makereport(B, call(ValueError("the first")))
    recorder.pytest_keyboard_interrupt(interrupt)
    assert told()[-1]["failure"]["message"] == "the first"


def test_a_check_whose_code_was_replaced_is_tampering(make, told, monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> None: ...

    recorder = make()
    recorder.codes[check] = check.__code__
    monkeypatch.setattr(check, "__code__", (lambda: None).__code__)
    run(recorder, Item("test_a"))
    wanted = {"kind": "tampering", "type": "Tampering", "message": "the code of the checks was replaced while they ran"}
    assert told()[-1]["failure"] == wanted


def test_the_end_of_the_session_is_told_and_the_process_left(make, told, capfd) -> None:
    recorder = make()
    for shouldfail in (False, "one failure is enough"):
        recorder.pytest_sessionfinish(SimpleNamespace(shouldfail=shouldfail))
    assert told() == [{"event": "end", "stopped": False}, {"event": "end", "stopped": True}]
    with pytest.raises(Left, match=r"^0$"):
        recorder.pytest_unconfigure()


def test_the_reporter_is_not_heard_whatever_it_says(make, config, monkeypatch, capfd) -> None:
    encodings: list[str] = []

    def spy(*told: str, encoding: str = "") -> IO[str]:
        encodings.append(encoding)
        return open(*told, encoding=encoding)

    monkeypatch.setattr(evidence, "open", spy, raising=False)
    make()
    assert [codecs.lookup(encoding).name for encoding in encodings] == ["utf-8"]
    config.reporter._tw.line("größer\n", flush=True)
    assert capfd.readouterr() == ("", "")


def test_a_run_has_its_guards_and_its_recorder(make, config: SimpleNamespace, monkeypatch, tmp_path: Path) -> None:
    guard = SimpleNamespace(files={"a.py"}, really_exit=lambda status: None)
    asked: list[object] = []
    monkeypatch.setattr(evidence.guards, "install", lambda config: asked.append(config) or guard)
    orders = {name: str(tmp_path / name) for name in ("evidence", "dump")}
    evidence.install(config, {"key": KEY.hex(), "mark": "mark", "limit_s": 20.0, "keep_going": True, **orders})
    (name, recorder), *more = config.registered.items()
    assert (name, type(recorder), more, asked) == ("kata-evidence", Recorder, [], [config])
    assert (recorder.files, recorder.leave, recorder.keep_going) == (guard.files, guard.really_exit, True)
