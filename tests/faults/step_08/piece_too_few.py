"""Counts the pieces against the limit of tokens, and is one short.

Caught by: test_each_request_gets_its_own_answer
Says: the rest was not sent
"""

from contextlib import asynccontextmanager
from itertools import islice

from fastapi import FastAPI

from shared.responses import TextStream, add_error_handlers
from shared.worker import EngineWorker

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer):
        self.model = model
        self.tokenizer = tokenizer

    def generate(self, prompt, max_new_tokens=None, params=None):
        return summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))

    def stream(self, prompt, max_new_tokens=None, params=None):
        return generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params)


def create_app(engine, max_pending=8):
    worker = EngineWorker(max_pending)

    @asynccontextmanager
    async def lifespan(app):
        yield
        worker.close()

    app = FastAPI(lifespan=lifespan)
    add_error_handlers(app)

    @app.get("/health")
    async def health():
        return {"status": "ok"}

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        params = request.to_sampling_params()
        result = await worker.run(lambda: engine.generate(request.prompt, request.max_new_tokens, params))
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream")
    async def stream(request: GenerateRequest):
        params = request.to_sampling_params()

        def pieces():
            made = engine.stream(request.prompt, request.max_new_tokens, params)
            return islice(made, request.max_new_tokens - 1)

        return TextStream(await worker.open(pieces))

    return app
