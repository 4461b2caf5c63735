"""A thread for each request behind one lock, pieces pushed into a queue, a stop flag; keyword arguments throughout."""

import asyncio
import threading

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, StreamingResponse

from shared.responses import add_error_handlers
from shared.worker import Busy

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer):
        self.parts = {"model": model, "tokenizer": tokenizer}

    def generate(self, prompt, max_new_tokens=None, params=None):
        return summarize(generate_cached(prompt=prompt, max_new_tokens=max_new_tokens, params=params, **self.parts))

    def stream(self, prompt, max_new_tokens=None, params=None):
        return iter(generate_stream(prompt=prompt, max_new_tokens=max_new_tokens, params=params, **self.parts))


class Job:
    """One request in a daemon thread; what it makes arrives in `items`, then None or the error."""

    def __init__(self, work, lock, leave):
        self.items, self.loop, self.stopped = asyncio.Queue(), asyncio.get_running_loop(), threading.Event()
        threading.Thread(target=self._run, args=(work, lock, leave), daemon=True).start()

    def _run(self, work, lock, leave):
        end = None
        with lock:
            try:
                if not self.stopped.is_set():
                    for item in work():
                        self._put(item)
                        if self.stopped.is_set():
                            break
            except Exception as error:
                end = error
            finally:
                self._put(leave)
                self._put(end or StopAsyncIteration())

    def _put(self, item):
        try:
            self.loop.call_soon_threadsafe(self._arrive, item)
        except RuntimeError:
            self.stopped.set()

    def _arrive(self, item):
        if callable(item):
            item()
        else:
            self.items.put_nowait(item)

    async def next(self):
        item = await self.items.get()
        if isinstance(item, Exception):
            raise item
        return item


def create_app(engine, max_pending=8):
    app = FastAPI()
    add_error_handlers(app)
    lock, inside = threading.Lock(), set()

    def begin(work):
        if len(inside) >= max_pending:
            raise Busy("full house")
        ticket = object()
        inside.add(ticket)
        return Job(work, lock, lambda: inside.discard(ticket))

    @app.get("/health", response_class=PlainTextResponse)
    async def health():
        return "OK"

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        def work():
            yield engine.generate(
                prompt=request.prompt, max_new_tokens=request.max_new_tokens, params=request.to_sampling_params()
            )

        result = await begin(work).next()
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream")
    async def stream(request: GenerateRequest):
        def work():
            return engine.stream(
                params=request.to_sampling_params(), prompt=request.prompt, max_new_tokens=request.max_new_tokens
            )

        job = begin(work)
        try:
            first = await job.next()
        except StopAsyncIteration:
            return StreamingResponse(iter(()), media_type="text/plain")

        async def pieces():
            try:
                piece = first
                while True:
                    yield piece
                    try:
                        piece = await job.next()
                    except StopAsyncIteration:
                        return
            finally:
                job.stopped.set()

        return StreamingResponse(pieces(), media_type="text/plain; charset=utf-8")

    return app
