"""The engine worker's end: closed while it runs, while somebody waits, and while the process wants to go."""

import asyncio
import subprocess
import sys
import threading

import pytest

from shared.worker import EngineWorker, Stopped, Stream
from tests.doubles.held import PATIENCE_S, Held, Tokens, collect, drive, settle, until


def test_close_stops_a_stream_and_its_reader_is_told_so() -> None:
    async def body() -> None:
        worker, tokens = EngineWorker(1), Tokens(100)
        held = tokens.gates[2] = Held()
        stream = await worker.open(lambda: tokens)
        await until(held.entered)
        worker.close()
        held.go.set()
        with pytest.raises(Stopped, match=r"^the answer was stopped before its end$"):
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
            with pytest.raises(Stopped, match=r"^the server is shutting down$"):
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
        thread = await worker.run(threading.current_thread)
        await asyncio.to_thread(thread.join, 0.2)
        assert thread.is_alive(), "an open worker keeps its thread between two jobs"
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
                assert outcome == 1 or isinstance(outcome, Stopped | asyncio.CancelledError | Stream)
        assert not worker._places and not worker._waiting
        worker.close()

    drive(body)


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
