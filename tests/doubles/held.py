"""Calls and iterators that stand still until a test lets them go, and ways to wait for them without sleeping."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from shared.worker import Busy, EngineWorker

PATIENCE_S = 20.0


class Held:
    """A call that stays on the engine thread until it is let go."""

    def __init__(self, result: object = "done") -> None:
        self.entered, self.go, self.result = threading.Event(), threading.Event(), result
        self.thread: threading.Thread | None = None

    def __call__(self) -> object:
        self.thread = threading.current_thread()
        self.entered.set()
        assert self.go.wait(PATIENCE_S), "the test never let the call go"
        return self.result


class Tokens:
    """An iterator of numbers that records what was asked of it, and in which thread."""

    def __init__(self, count: int, fail_at: int | None = None, error: BaseException | None = None) -> None:
        self.count, self.fail_at, self.error = count, fail_at, error
        self.asked = 0
        self.threads: set[threading.Thread] = set()
        self.closed = threading.Event()
        self.gates: dict[int, Held] = {}

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        self.threads.add(threading.current_thread())
        at, self.asked = self.asked, self.asked + 1
        if at in self.gates:
            self.gates[at]()
        if at == self.fail_at:
            raise self.error or ValueError("no more")
        if at >= self.count:
            raise StopIteration
        return at

    def close(self) -> None:
        self.threads.add(threading.current_thread())
        self.closed.set()


async def until(event: threading.Event) -> None:
    """Wait for an event of another thread; the loop stays free."""
    assert await asyncio.to_thread(event.wait, PATIENCE_S), "the event never came"


async def settle(turns: int = 20) -> None:
    """Let everything that is ready on the loop have its turn."""
    for _ in range(turns):
        await asyncio.sleep(0)


def drive(body: Callable[[], Awaitable[None]]) -> None:
    """Run an async test, in a loop of its own, with an end to patience."""

    async def with_patience() -> None:
        await asyncio.wait_for(body(), 3 * PATIENCE_S)

    asyncio.run(with_patience())


async def collect(stream: AsyncIterator[object]) -> list:
    return [item async for item in stream]


async def until_free(worker: EngineWorker) -> None:
    """A place is given back when the engine has really stopped: ask until there is one."""
    for _ in range(2000):
        try:
            assert await worker.run(lambda: 1) == 1
            return
        except Busy:
            await asyncio.sleep(0.01)
    raise AssertionError("the place was never given back")
