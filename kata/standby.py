"""Keeps a process of checks warm, and gives each run one that has nothing left to import.

Where a fork is safe, one warm process is forked for every run, twice where there are processors for it: the two share
the checks. Elsewhere a spare process waits, and is replaced after use. Where neither can be had, a run starts from
nothing. `KATA_FORK=0` in the environment forbids forks. The other side of it is `kata/warm.py`.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kata.check import Sources, pytest_arguments, start_from_nothing
from kata.child import Child, Started
from kata.expected import checks_in
from kata.forks import FORKS, Forked, State
from kata.steps import ROOT, STEPS, Step

_MAY_END = 3  # times in a row, and nothing was run in it
_ALONE = (9,)  # steps whose checks share one duel


class Standby:
    """The warm process, of whichever kind."""

    def __init__(self, first: Step, forks: bool | None = None, at_once: int | None = None) -> None:
        self.steps = [first, *(step for step in STEPS if step != first)]
        self.forks = (FORKS and os.environ.get("KATA_FORK") != "0") if forks is None else forks
        self.at_once = at_once or (2 if (os.cpu_count() or 1) > 1 else 1)
        self.warm: Forked | Spare | None = None
        self.ended, self.is_cold = 0, False  # cold: the next run starts from nothing

    def prefer(self, step: Step) -> None:
        """The step for which most is to be ready: a spare is for this one alone."""
        self.steps = [step, *(other for other in STEPS if other != step)]
        if isinstance(self.warm, Spare) and self.warm.step != step:
            self.close()

    def is_ready(self) -> bool:
        """Whether a run can begin; where nothing is there to get ready, it is started."""
        if self.is_cold:
            return True
        if self.warm is None:
            self.warm = Forked(pytest_arguments(self.steps)) if self.forks else Spare(self.steps[0])
        state = self.warm.state()
        if state in (State.UNSAFE, State.ENDED):
            self.forks = self.forks and state is not State.UNSAFE
            self.is_cold = state is State.ENDED  # a run will tell what is wrong
            self.ended += self.is_cold
            self.close()
        return self.is_cold or state is State.READY

    def start(self, step: Step, sources: Sources) -> Sequence[Child]:
        """The processes of a run: what `check_step` takes in the place of one that starts from nothing."""
        is_for_another = isinstance(self.warm, Spare) and self.warm.step != step
        if self.warm is None or is_for_another or self.warm.state() is not State.READY:
            self.is_cold = self.ended >= _MAY_END
            return start_from_nothing(step, sources)
        orders = {"checks": str(step.test_file), "sources": {number: str(file) for number, file in sources.items()}}
        try:
            at_once = 1 if step.number in _ALONE else self.at_once
            children = self.warm.children(orders, len(checks_in(step.test_file)), at_once)
        except OSError:  # it has ended this moment
            return start_from_nothing(step, sources)
        if isinstance(self.warm, Spare):
            self.warm = None  # it is the run's now
        self.ended = 0
        return children

    def close(self) -> None:
        """Let go of what is warm."""
        if self.warm is not None:
            self.warm.close()
        self.warm = None


class Spare:
    """A warm process that runs once, the checks of one step; so it has less to import, and the next is there sooner."""

    def __init__(self, step: Step) -> None:
        self.step, self._folder = step, tempfile.TemporaryDirectory(prefix="kata-warm-", ignore_cleanup_errors=True)
        self._sign = Path(self._folder.name, "ready")
        self._process = Started([*pytest_arguments([step]), "--warm", str(self._sign)], ROOT)

    def state(self) -> State:
        if self._process.wait(0) is not None:
            return State.ENDED
        return State.READY if self._sign.exists() else State.WARMING

    def children(self, orders: dict[str, object], checks: int, at_once: int) -> list[Child]:
        self._process.orders = orders
        self._folder.cleanup()
        return [self._process]

    def close(self) -> None:
        self._process.end()
        self._folder.cleanup()
