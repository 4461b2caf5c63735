"""The engine worker's places and loops: who gets in, who is told to come back, and when a place is free again."""

import asyncio
import gc
import threading
import weakref
from contextlib import AbstractContextManager
from unittest import TestCase

import pytest

from shared.worker import Busy, EngineWorker
from tests.doubles.held import PATIENCE_S, Held, Tokens, collect, drive, settle, until, until_free


def without_warnings() -> AbstractContextManager[None]:
    """What warns or fails in here through `logging`, as asyncio does of what nobody awaits, is a failure."""
    return TestCase().assertNoLogs(level="WARNING")


@pytest.mark.parametrize("max_pending", [0, -1])
def test_a_worker_without_a_place_is_refused(max_pending: int) -> None:
    with pytest.raises(ValueError, match=str(max_pending)):
        EngineWorker(max_pending)


@pytest.mark.parametrize(("given", "places"), [((1,), 1), ((3,), 3), ((300,), 300), ((), 8)])
def test_beyond_max_pending_nothing_starts(given: tuple[int, ...], places: int) -> None:
    async def body() -> None:
        worker, held, ran = EngineWorker(*given), Held(), []
        jobs = [asyncio.create_task(worker.run(held)) for _ in range(places)]
        await until(held.entered)
        with pytest.raises(Busy, match=str(places)):
            await worker.run(lambda: ran.append(1))
        with pytest.raises(Busy):
            await worker.open(lambda: ran.append(1))
        held.go.set()
        assert await asyncio.gather(*jobs) == ["done"] * places
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

    with without_warnings():
        drive(body)


def test_a_cancelled_waiter_is_forgotten_while_the_engine_is_busy() -> None:
    class Prompt:
        pass

    async def body() -> None:
        worker, held, prompts = EngineWorker(2), Held(), [Prompt()]
        alive = weakref.ref(prompts[0])
        running = asyncio.create_task(worker.run(held))
        waiting = asyncio.create_task(worker.run(lambda prompt=prompts[0]: prompt))
        await settle()
        waiting.cancel()
        await asyncio.wait([waiting])
        del waiting
        prompts.clear()
        await settle()
        gc.collect()
        assert alive() is None
        held.go.set()
        await running
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

    with without_warnings():
        asyncio.run(walk_away())
        held.go.set()
        assert tokens.closed.wait(PATIENCE_S)
        assert tokens.asked <= 5

        async def body() -> None:
            await until_free(worker)
            worker.close()

        drive(body)
