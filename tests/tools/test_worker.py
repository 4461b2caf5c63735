"""The engine worker: places, order, stopping, errors. No engine here, only calls that wait for an event."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from shared.worker import Busy, EngineWorker, Stopped

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
    for _ in range(turns):
        await asyncio.sleep(0)


def drive(body: Callable[[], object]) -> None:
    async def with_patience() -> None:
        await asyncio.wait_for(body(), 3 * PATIENCE_S)

    asyncio.run(with_patience())


async def collect(stream) -> list:
    return [item async for item in stream]


# Results and errors


def test_run_gives_the_result_of_the_call() -> None:
    async def body() -> None:
        worker = EngineWorker()
        assert await worker.run(lambda: 7) == 7
        assert await worker.run(lambda: None) is None
        worker.close()

    drive(body)


def test_all_work_happens_on_one_other_thread() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(), Tokens(3)
        first = await worker.run(threading.current_thread)
        made_on = []
        stream = await worker.open(lambda: made_on.append(threading.current_thread()) or tokens)
        assert await collect(stream) == [0, 1, 2]
        assert await worker.run(threading.current_thread) is first
        assert {first} == tokens.threads == set(made_on)
        assert first is not threading.current_thread()
        assert first.daemon, "a thread that is no daemon would hold up the exit of the process"
        worker.close()

    drive(body)


def test_a_worker_that_is_never_asked_starts_no_thread() -> None:
    before = set(threading.enumerate())
    worker = EngineWorker()
    assert set(threading.enumerate()) == before
    worker.close()
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize(
    "error", [ValueError("x"), RuntimeError("x"), KeyError("x"), TimeoutError("x"), MemoryError(), RecursionError()]
)
def test_an_error_keeps_its_type_and_the_worker_goes_on(error: Exception) -> None:
    def fail() -> None:
        raise error

    async def body() -> None:
        worker = EngineWorker(1)
        with pytest.raises(type(error)):
            await worker.run(fail)
        with pytest.raises(type(error)):
            await worker.open(fail)
        with pytest.raises(type(error)):
            await worker.open(lambda: Tokens(3, fail_at=0, error=error))
        assert await worker.run(lambda: 1) == 1
        worker.close()

    drive(body)


@pytest.mark.parametrize(
    "error",
    [StopIteration(), StopAsyncIteration(), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError()],
    ids=lambda error: type(error).__name__,
)
def test_control_flow_raised_by_the_engine_arrives_as_a_runtime_error(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def body() -> None:
        worker = EngineWorker(1)
        with pytest.raises(RuntimeError, match=type(error).__name__):
            await worker.run(fail)
        with pytest.raises(RuntimeError, match=type(error).__name__):
            await worker.open(fail)
        if not isinstance(error, StopIteration):  # from an iterator that is its end
            stream = await worker.open(lambda: Tokens(3, fail_at=1, error=error))
            with pytest.raises(RuntimeError, match=type(error).__name__):
                await collect(stream)
        assert await worker.run(lambda: 1) == 1
        worker.close()

    drive(body)


def test_no_iterator_at_all_is_an_error_and_not_a_hang() -> None:
    async def body() -> None:
        worker = EngineWorker(1)
        with pytest.raises(TypeError):
            await worker.open(lambda: None)
        assert await worker.run(lambda: 1) == 1
        worker.close()

    drive(body)


# Streams


@pytest.mark.parametrize("make", [lambda: [1, 2], lambda: iter([1, 2]), lambda: (n for n in (1, 2)), lambda: range(1, 3)])
def test_any_iterator_will_do(make: Callable[[], object]) -> None:
    async def body() -> None:
        worker = EngineWorker(1)
        for _ in range(3):
            assert await collect(await worker.open(make)) == [1, 2]
        worker.close()

    drive(body)


def test_an_empty_answer_and_falsy_items_pass_as_they_are() -> None:
    async def body() -> None:
        worker = EngineWorker(1)
        assert await collect(await worker.open(list)) == []
        assert await collect(await worker.open(lambda: [None, "", 0, StopIteration])) == [None, "", 0, StopIteration]
        worker.close()

    drive(body)


def test_open_returns_with_the_first_item_while_the_second_is_still_made() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(1), Tokens(3)
        held = tokens.gates[1] = Held()
        stream = await worker.open(lambda: tokens)
        assert await anext(stream) == 0
        held.go.set()
        assert await collect(stream) == [1, 2]
        assert tokens.closed.is_set()
        worker.close()

    drive(body)


def test_an_error_comes_after_the_items_before_it_and_comes_again() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(1), Tokens(9, fail_at=2)
        stream = await worker.open(lambda: tokens)
        assert [await anext(stream), await anext(stream)] == [0, 1]
        for _ in range(2):
            with pytest.raises(ValueError, match="no more"):
                await anext(stream)
        assert tokens.closed.is_set()
        assert await worker.run(lambda: 1) == 1
        worker.close()

    drive(body)


def test_a_slow_reader_does_not_hold_up_the_engine() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(2), Tokens(512)
        stream = await worker.open(lambda: tokens)
        assert await worker.run(lambda: 1) == 1
        assert tokens.closed.is_set()
        assert await collect(stream) == list(range(512))
        worker.close()

    drive(body)


def test_aclose_stops_between_two_items_and_closes_the_iterator() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(1), Tokens(100)
        held = tokens.gates[5] = Held()
        stream = await worker.open(lambda: tokens)
        assert await anext(stream) == 0
        await until(held.entered)
        await stream.aclose()
        await stream.aclose()
        assert await collect(stream) == []
        held.go.set()
        await until(tokens.closed)
        assert tokens.asked == 6
        worker.close()

    drive(body)


def test_aclose_of_a_finished_stream_is_harmless() -> None:
    async def body() -> None:
        worker = EngineWorker(1)
        stream = await worker.open(lambda: [1])
        assert await collect(stream) == [1]
        await stream.aclose()
        assert await collect(stream) == []
        assert await worker.run(lambda: 1) == 1
        worker.close()

    drive(body)


def test_the_grad_mode_of_a_generator_stays_on_the_engine_thread() -> None:
    seen = []

    def tokens() -> Iterator[int]:
        local.mode = "inference"
        try:
            yield 1
            seen.append(local.mode)
        finally:
            seen.append(local.mode)

    local = threading.local()

    async def body() -> None:
        worker = EngineWorker(1)
        assert await collect(await worker.open(tokens)) == [1]
        assert not hasattr(local, "mode")
        worker.close()

    drive(body)
    assert seen == ["inference", "inference"]


# Places


@pytest.mark.parametrize("max_pending", [0, -1])
def test_a_worker_without_a_place_is_refused(max_pending: int) -> None:
    with pytest.raises(ValueError, match=str(max_pending)):
        EngineWorker(max_pending)


@pytest.mark.parametrize("max_pending", [1, 3])
def test_beyond_max_pending_nothing_starts(max_pending: int) -> None:
    async def body() -> None:
        worker, held, ran = EngineWorker(max_pending), Held(), []
        jobs = [asyncio.create_task(worker.run(held)) for _ in range(max_pending)]
        await until(held.entered)
        with pytest.raises(Busy, match=str(max_pending)):
            await worker.run(lambda: ran.append(1))
        with pytest.raises(Busy):
            await worker.open(lambda: ran.append(1))
        held.go.set()
        assert await asyncio.gather(*jobs) == ["done"] * max_pending
        assert not ran
        assert await worker.run(lambda: 1) == 1
        worker.close()

    drive(body)


def test_one_at_a_time_and_in_the_order_of_asking() -> None:
    async def body() -> None:
        worker, inside, most, order = EngineWorker(20), 0, 0, []

        def call(number: int) -> None:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            order.append(number)
            inside -= 1

        await asyncio.gather(*(worker.run(lambda n=n: call(n)) for n in range(20)))
        assert order == list(range(20))
        assert most == 1
        worker.close()

    drive(body)


def test_a_caller_that_is_told_finds_its_place_free() -> None:
    async def body() -> None:
        worker = EngineWorker(1)
        for number in range(300):
            assert await worker.run(lambda n=number: n) == number
            assert await collect(await worker.open(lambda: "ab")) == ["a", "b"]
            with pytest.raises(ZeroDivisionError):
                await worker.run(lambda: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                await worker.open(lambda: 1 // 0)
        worker.close()

    drive(body)


def test_a_cancelled_waiter_leaves_the_line_at_once() -> None:
    async def body() -> None:
        worker, held, ran = EngineWorker(2), Held(), []
        running = asyncio.create_task(worker.run(held))
        await until(held.entered)
        for open_or_run in (worker.run, worker.open):
            waiting = asyncio.create_task(open_or_run(lambda: ran.append(1)))
            await settle()
            with pytest.raises(Busy):
                await worker.run(lambda: 1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        after = asyncio.create_task(worker.run(lambda: 2))
        held.go.set()
        assert [await running, await after] == ["done", 2]
        assert not ran
        worker.close()

    drive(body)


def test_a_cancelled_caller_of_a_running_call_keeps_its_place_until_the_call_ends() -> None:
    async def body() -> None:
        worker, held = EngineWorker(1), Held()
        running = asyncio.create_task(worker.run(held))
        await until(held.entered)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with pytest.raises(Busy):
            await worker.run(lambda: 1)
        held.go.set()
        await until_free(worker)
        worker.close()

    drive(body)


def test_a_caller_cancelled_in_open_stops_the_generation() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(1), Tokens(100)
        held = tokens.gates[0] = Held()
        opening = asyncio.create_task(worker.open(lambda: tokens))
        await until(held.entered)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        held.go.set()
        await until(tokens.closed)
        assert tokens.asked == 1
        await until_free(worker)
        worker.close()

    drive(body)


async def until_free(worker: EngineWorker) -> None:
    """A place is given back when the engine has really stopped: ask until there is one."""
    for _ in range(2000):
        try:
            assert await worker.run(lambda: 1) == 1
            return
        except Busy:
            await asyncio.sleep(0.01)
    raise AssertionError("the place was never given back")


# Loops


def test_requests_may_come_from_several_loops_at_once() -> None:
    worker, results = EngineWorker(64), []

    def one_loop(number: int) -> None:
        async def body() -> None:
            for _ in range(10):
                results.append(await worker.run(lambda: number) == number)
                results.append(await collect(await worker.open(lambda: [number] * 3)) == [number] * 3)

        asyncio.run(body())

    threads = [threading.Thread(target=one_loop, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert results == [True] * 120
    worker.close()


def test_a_loop_that_closed_is_a_reader_that_has_gone() -> None:
    worker, tokens, streams = EngineWorker(1), Tokens(100), []
    held = tokens.gates[3] = Held()

    async def walk_away() -> None:
        streams.append(await worker.open(lambda: tokens))

    asyncio.run(walk_away())
    held.go.set()
    assert tokens.closed.wait(PATIENCE_S)
    assert tokens.asked <= 5

    async def body() -> None:
        await until_free(worker)
        worker.close()

    drive(body)


# Closing


def test_close_stops_a_stream_and_its_reader_is_told_so() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(1), Tokens(100)
        held = tokens.gates[2] = Held()
        stream = await worker.open(lambda: tokens)
        await until(held.entered)
        worker.close()
        held.go.set()
        with pytest.raises(Stopped):
            await collect(stream)
        await until(tokens.closed)
        assert tokens.asked == 3

    drive(body)


def test_close_tells_the_waiting_and_does_not_wait_for_a_call() -> None:
    async def body() -> None:
        worker, held, ran = EngineWorker(4), Held(), []
        running = asyncio.create_task(worker.run(held))
        await until(held.entered)
        waiting = [asyncio.create_task(w(lambda: ran.append(1))) for w in (worker.run, worker.open)]
        await settle()
        worker.close()
        worker.close()
        for job in waiting:
            with pytest.raises(Stopped, match="shutting down"):
                await job
        assert not running.done()
        held.go.set()
        assert await running == "done"
        assert not ran
        await asyncio.to_thread(held.thread.join, PATIENCE_S)
        assert not held.thread.is_alive()

    drive(body)


def test_a_closed_worker_opens_again_and_still_enters_the_engine_once_at_a_time() -> None:
    async def body() -> None:
        worker, held = EngineWorker(2), Held()
        assert await worker.run(lambda: 1) == 1
        worker.close()
        running = asyncio.create_task(worker.run(held))
        await until(held.entered)
        worker.close()
        after = asyncio.create_task(worker.run(lambda: 2))
        await settle()
        assert not after.done()
        held.go.set()
        assert [await running, await after] == ["done", 2]
        worker.close()

    drive(body)


def test_closing_under_load_loses_nobody() -> None:
    async def body() -> None:
        worker = EngineWorker(1000)
        for _ in range(100):
            jobs = [asyncio.create_task(worker.run(lambda: 1)) for _ in range(5)]
            streams = [asyncio.create_task(worker.open(lambda: [1])) for _ in range(5)]
            await asyncio.sleep(0)
            jobs[3].cancel()
            worker.close()
            for outcome in await asyncio.gather(*jobs, *streams, return_exceptions=True):
                assert outcome == 1 or isinstance(outcome, Stopped | asyncio.CancelledError) or hasattr(outcome, "aclose")
        assert not worker._places and not worker._waiting
        worker.close()

    drive(body)


# The process


SCRIPT = """
import asyncio, sys, threading
from shared.worker import EngineWorker
assert not {"torch", "transformers", "fastapi", "starlette"} & set(sys.modules), "the worker imports too much"
entered = threading.Event()
def forever():
    entered.set()
    threading.Event().wait()
async def main():
    task = asyncio.ensure_future(EngineWorker(1).run(forever))
    await asyncio.to_thread(entered.wait)
    print("entered")
asyncio.run(main())
"""


def test_a_stuck_engine_does_not_keep_the_process_alive() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "entered\n"), done.stderr
