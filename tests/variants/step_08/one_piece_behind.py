"""Sends a piece once the next one is made; the worker starts with the lifespan; more fields than text and metrics."""

from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, status
from fastapi.responses import JSONResponse

from shared.engine import Engine
from shared.responses import TextStream, add_error_handlers
from shared.worker import EngineWorker

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer):
        def generate(prompt, max_new_tokens=None, params=None):
            return summarize(generate_cached(model, tokenizer, prompt, max_new_tokens, params))

        def stream(prompt, max_new_tokens=None, params=None):
            return generate_stream(model, tokenizer, prompt, max_new_tokens, params)

        self.generate, self.stream = generate, stream


class TracedResponse(GenerateResponse):
    request_id: int


class Behind:
    """An async iterator that stays one item behind another."""

    def __init__(self, pieces):
        self.pieces, self.held = pieces, None

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.held is None:
            self.held = await anext(self.pieces)
        piece, self.held = self.held, await anext(self.pieces, "")
        if piece == "":
            raise StopAsyncIteration
        return piece

    async def aclose(self):
        await self.pieces.aclose()


def create_app(engine: Engine, max_pending: int = 8) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app):
        app.state.worker = EngineWorker(max_pending)
        app.state.count = 0
        try:
            yield
        finally:
            app.state.worker.close()

    app = FastAPI(lifespan=lifespan, title="another server")
    add_error_handlers(app)

    @app.get("/health", status_code=status.HTTP_200_OK)
    async def health():
        return JSONResponse({"ok": True, "pending": 0})

    @app.post("/generate")
    async def generate(body: GenerateRequest, request: Request) -> TracedResponse:
        request.app.state.count += 1
        result = await request.app.state.worker.run(lambda: ask(engine.generate, body))
        return TracedResponse(text=result.text, metrics=result.metrics.as_dict(), request_id=request.app.state.count)

    @app.post("/stream")
    async def stream(body: GenerateRequest, request: Request):
        return TextStream(Behind(await request.app.state.worker.open(lambda: ask(engine.stream, body))))

    return app


def ask(method, body):
    params = body.to_sampling_params()
    return method(body.prompt, params.max_tokens, params)
