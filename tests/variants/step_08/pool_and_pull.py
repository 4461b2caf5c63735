"""A thread pool of one and a semaphore: the loop pulls one piece at a time. Every star, without the worker."""

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse

from shared.limits import RequestRefused

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse

END = object()
router = APIRouter()


class CachedEngine:
    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer

    def generate(self, prompt, max_new_tokens=None, params=None):
        generation = generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params)
        return summarize(generation)

    def stream(self, prompt, max_new_tokens=None, params=None):
        yield from generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params)


class OneThread:
    def __init__(self, places):
        self.free = places
        self.pool = ThreadPoolExecutor(1)
        self.turn = asyncio.Lock()

    def take_place(self):
        if self.free == 0:
            raise HTTPException(503, "try later", headers={"Retry-After": "2"})
        self.free -= 1

    async def call(self, function, *args):
        return await asyncio.get_running_loop().run_in_executor(self.pool, functools.partial(function, *args))


def of_app(request: Request):
    return request.app.state.threads


def arguments(body):
    return body.prompt, body.max_new_tokens, body.to_sampling_params()


@router.get("/health")
async def health():
    return "fine"


@router.post("/generate")
async def generate(body: GenerateRequest, request: Request, threads=Depends(of_app)) -> GenerateResponse:
    threads.take_place()
    try:
        async with threads.turn:
            result = await threads.call(request.app.state.engine.generate, *arguments(body))
    finally:
        threads.free += 1
    return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())


@router.post("/stream")
async def stream(body: GenerateRequest, request: Request, threads=Depends(of_app)):
    threads.take_place()
    pieces = answer(threads, request.app.state.engine, body)
    try:
        first = await anext(pieces, "")
    except BaseException:
        await pieces.aclose()
        raise

    async def whole():
        yield first
        async for piece in pieces:
            yield piece

    return Closing(whole(), pieces)


class Closing(StreamingResponse):
    def __init__(self, content, pieces):
        super().__init__(content, media_type="text/plain")
        self.pieces = pieces

    async def __call__(self, scope, receive, send):
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self.pieces.aclose()


async def answer(threads, engine, body):
    iterator = None
    try:
        async with threads.turn:
            iterator = iter(await threads.call(engine.stream, *arguments(body)))
            while (piece := await threads.call(next, iterator, END)) is not END:
                yield piece
    finally:
        threads.free += 1
        if hasattr(iterator, "close"):
            threads.pool.submit(iterator.close)


def create_app(engine, max_pending=8):
    @asynccontextmanager
    async def lifespan(app):
        app.state.threads = OneThread(max_pending)
        yield
        app.state.threads.pool.shutdown(wait=False, cancel_futures=True)

    app = FastAPI(lifespan=lifespan)
    app.state.engine = engine
    app.include_router(router)

    @app.exception_handler(RequestValidationError)
    async def invalid(request, error):
        keep = [{key: found[key] for key in ("type", "loc", "msg")} for found in error.errors()]
        text = str(keep).encode("utf-8", "replace").decode()
        if "?" in text:
            return JSONResponse({"detail": "unreadable"}, 400)
        return JSONResponse({"detail": keep}, 422)

    @app.exception_handler(RequestRefused)
    async def refused(request, error):
        return JSONResponse({"detail": str(error)}, 422)

    @app.exception_handler(Exception)
    async def failed(request, error):
        return JSONResponse({"error": "something went wrong"}, 500)

    return app
