"""The clock of every reading."""

import sys
import time
from types import SimpleNamespace

import pytest

from shared import clock


def _torch(initialized: bool, calls: list[str]) -> SimpleNamespace:
    """As much of torch as the clock looks at."""
    cuda = SimpleNamespace(is_initialized=lambda: initialized, synchronize=lambda: calls.append("synchronize"))
    return SimpleNamespace(cuda=cuda)


def test_it_goes_forward_in_seconds() -> None:
    before = time.perf_counter()
    readings = [clock.now() for _ in range(100)]
    assert before <= readings[0] <= readings[-1] <= time.perf_counter()
    assert readings == sorted(readings)
    assert all(isinstance(reading, float) for reading in readings)


def test_it_waits_for_cuda_before_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setitem(sys.modules, "torch", _torch(True, calls))
    monkeypatch.setattr(time, "perf_counter", lambda: calls.append("read") or 1.5)
    assert clock.now() == 1.5
    assert calls == ["synchronize", "read"]


def test_it_leaves_a_cuda_alone_that_nobody_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setitem(sys.modules, "torch", _torch(False, calls))
    clock.now()
    assert calls == []


def test_it_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    clock.now()
    assert "torch" not in sys.modules
