"""Compresses whatever the app answers: of a stream the client gets nothing before the compressor has enough.

Caught by: test_a_piece_goes_out_before_the_next_is_made
Says: a middleware compresses the stream
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware

from shared.engine import Engine
from shared.responses import TextStream, add_error_handlers
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams
from shared.worker import EngineWorker

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer) -> None:
        self.model = model
        self.tokenizer = tokenizer

    def generate(self, prompt, max_new_tokens=None, params=None) -> GenerateResult:
        return summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))

    def stream(self, prompt, max_new_tokens=None, params=None) -> Iterator[str]:
        return generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params)


def create_app(engine: Engine, max_pending: int = 8) -> FastAPI:
    worker = EngineWorker(max_pending)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        worker.close()

    app = FastAPI(title="Inference Kata", lifespan=lifespan)
    add_error_handlers(app)

    app.add_middleware(GZipMiddleware, minimum_size=500)

    @app.get("/health")
    async def health():
        return {"status": "ok"}

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        params = request.to_sampling_params()
        result = await worker.run(lambda: engine.generate(request.prompt, request.max_new_tokens, params))
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream", response_class=TextStream)
    async def stream(request: GenerateRequest) -> TextStream:
        params = request.to_sampling_params()
        return TextStream(await worker.open(lambda: engine.stream(request.prompt, request.max_new_tokens, params)))

    return app
