"""Shuts an app down while its engine works, as a server would: by its lifespan, with a request still open."""

import asyncio
import contextlib
import json
import threading
from typing import Any

from fastapi import FastAPI

from tests.doubles.engines import Gate
from tests.doubles.live_server import PATIENCE_S

ASGI = {"version": "3.0", "spec_version": "2.3"}


def shuts_down_while(app: FastAPI, gate: Gate, path: str, body: dict) -> str:
    """What the shutdown waited for: `""` where it was done while the gate still held the engine."""
    done = threading.Event()
    drive = _drive(app, gate, path, json.dumps(body).encode(), done)
    thread = threading.Thread(target=asyncio.run, args=(drive,), daemon=True)
    thread.start()
    in_time = done.wait(PATIENCE_S)
    gate.open()
    thread.join(timeout=2)
    if in_time:
        return ""
    return "the running generation" if gate.reached.is_set() else "the engine to be asked"


async def _drive(app: FastAPI, gate: Gate, path: str, body: bytes, done: threading.Event) -> None:
    orders: asyncio.Queue[dict] = asyncio.Queue()
    started, stopped = asyncio.Event(), asyncio.Event()

    async def report(message: dict) -> None:
        if message["type"] == "lifespan.startup.complete":
            started.set()
        elif message["type"] == "lifespan.shutdown.complete":
            stopped.set()

    state: dict[str, Any] = {}  # what the lifespan yields, and each request finds
    lifespan = asyncio.create_task(app({"type": "lifespan", "asgi": ASGI, "state": state}, orders.get, report))
    orders.put_nowait({"type": "lifespan.startup"})
    await _either(started, lifespan)
    request = asyncio.create_task(app(_scope(path, state), _receive_once(body), _swallow))
    await asyncio.to_thread(gate.reached.wait, PATIENCE_S)
    orders.put_nowait({"type": "lifespan.shutdown"})
    await _either(stopped, lifespan)
    if gate.reached.is_set():
        done.set()
    request.cancel()
    await asyncio.wait([request, lifespan], timeout=PATIENCE_S)


async def _either(event: asyncio.Event, task: asyncio.Task) -> None:
    """Wait for the event; a task that ends first ends the waiting too."""
    waiting = asyncio.create_task(event.wait())
    await asyncio.wait([waiting, task], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting


def _scope(path: str, state: dict[str, Any]) -> dict[str, Any]:
    headers = [(b"host", b"kata"), (b"content-type", b"application/json")]
    return {
        "type": "http", "asgi": ASGI, "http_version": "1.1", "method": "POST", "scheme": "http", "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": headers,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "state": dict(state),
    }  # fmt: skip


def _receive_once(body: bytes):
    """The request's body, and then nothing more: this client stays."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict:
        if messages:
            return messages.pop()
        await asyncio.Event().wait()
        raise AssertionError  # never reached

    return receive


async def _swallow(message: dict) -> None:
    pass
