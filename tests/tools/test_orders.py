"""The orders of a run that is recorded: how they come, and what ends the process when nobody can give any more."""

import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from kata import evidence


def test_the_option_and_the_mark_are_made_known() -> None:
    options, lines = [], []
    group = SimpleNamespace(addoption=lambda *names, action, **words: options.append((names, action)))
    evidence.add_options(SimpleNamespace(getgroup={"kata": group}.__getitem__))
    assert options == [(("--evidence",), "store_true")]
    evidence.prepare(SimpleNamespace(addinivalue_line=lambda *line: lines.append(line)))
    ((name, line),) = lines
    assert name == "markers" and line.startswith("timeout(seconds): ")


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A pipe in the place of stdin; `signals` and `ends` have what would have ended processes.

    A pipe gives as little as it likes: three bytes at most.
    """
    reader, writer = os.pipe()
    kept = os.dup(0)
    os.dup2(reader, 0)
    os.close(reader)
    stdin = SimpleNamespace(ends=queue.Queue(), signals=[], group=os.getpid(), writer=os.fdopen(writer, "wb", 0))
    names = {
        "_exit": stdin.ends.put,
        "killpg": lambda *told: stdin.signals.append(told),
        "getpgrp": lambda: stdin.group,
        "read": lambda file, size: os.read(file, min(size, 3)),
    }
    monkeypatch.setattr(evidence, "os", SimpleNamespace(**vars(os) | names))
    yield stdin
    stdin.writer.close()
    os.dup2(kept, 0)
    os.close(kept)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes")
@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_orders_come_in_a_line_and_the_end_of_stdin_ends_the_process(stdin: SimpleNamespace, beside: int) -> None:
    stdin.group += beside  # 0: the process leads a group of its own
    threads = {*threading.enumerate()}
    stdin.writer.write(b'{"key": "ab"}\n')
    assert evidence.orders_from_stdin() == {"key": "ab"}
    assert [thread.daemon for thread in {*threading.enumerate()} - threads] == [True]
    assert os.read(0, 1) == b""  # a solution finds nothing
    stdin.writer.write(b"nothing more is read")
    with pytest.raises(queue.Empty):
        stdin.ends.get(timeout=0.05)
    stdin.writer.close()
    assert stdin.ends.get(timeout=10) == 1
    assert stdin.signals == ([] if beside else [(0, signal.SIGKILL)])


def test_without_orders_there_is_no_run(stdin: SimpleNamespace) -> None:
    stdin.writer.write(b'{"key":')
    stdin.writer.close()
    with pytest.raises(pytest.UsageError) as refused:
        evidence.orders_from_stdin()
    assert str(refused.value) == "--evidence is for `python -m kata check`, which says on stdin what to do"


def test_a_pipe_that_a_solution_has_closed_ends_nothing(stdin: SimpleNamespace) -> None:
    evidence._leave_with_runner(-1, stdin.ends.put)
    assert stdin.ends.empty() and not stdin.signals
