"""The engine worker's results, errors and streams. No engine here, only calls that wait for an event."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError

import pytest

from shared.worker import EngineWorker
from tests.doubles.held import Held, Tokens, collect, drive, settle, until


def test_run_gives_the_result_of_the_call() -> None:
    async def body() -> None:
        worker = EngineWorker()
        assert await worker.run(lambda: 7) == 7
        assert await worker.run(lambda: None) is None
        worker.close()

    drive(body)


def test_what_cannot_be_called_is_refused_at_once_and_takes_no_place() -> None:
    async def body() -> None:
        worker, before = EngineWorker(1), set(threading.enumerate())
        for hand_over in (worker.run, worker.open):
            for result in (7, None, iter([1]), (item for item in [1])):
                kind = type(result).__name__
                told = rf"something it can call: a function or a lambda, not its result \(a {kind}\)$"
                with pytest.raises(TypeError, match=told):
                    await hand_over(result)
        assert set(threading.enumerate()) == before
        assert await worker.run(lambda: 1) == 1
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
    [StopIteration(), StopAsyncIteration(), SystemExit(3), asyncio.CancelledError(), CancelledError()],
    ids=lambda error: f"{type(error).__module__}.{type(error).__name__}",
)
def test_control_flow_raised_by_the_engine_arrives_as_a_runtime_error(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def body() -> None:
        worker = EngineWorker(1)
        with pytest.raises(RuntimeError, match=type(error).__name__) as raised:
            await worker.run(fail)
        assert raised.value.__cause__ is error
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


@pytest.mark.parametrize("make", [lambda: [1, 2], lambda: iter([1, 2]), lambda: (n for n in (1, 2))])
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


def test_nothing_of_a_request_is_kept_by_the_idle_worker() -> None:
    class Prompt:
        pass

    def fail(prompt: Prompt) -> None:
        raise ValueError

    async def body() -> None:
        worker, prompts = EngineWorker(1), [Prompt(), Prompt(), Prompt()]
        alive = [weakref.ref(prompt) for prompt in prompts]
        await worker.run(lambda prompt=prompts[0]: prompt)
        await collect(await worker.open(lambda prompt=prompts[1]: [prompt]))
        with pytest.raises(ValueError):
            await worker.run(lambda prompt=prompts[2]: fail(prompt))
        prompts.clear()
        await settle()  # the loop itself holds the last future until its next turn
        gc.collect()
        assert [ref() for ref in alive] == [None, None, None]
        worker.close()

    drive(body)
