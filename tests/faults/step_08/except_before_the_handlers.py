"""Catches every error of the engine in the endpoint, a refusal too, which the handlers would have made a 422 of.

Passes everything required; only stars are missed.

Caught by: test_a_refused_request_is_a_422_with_the_numbers
Says: unless an `except` or a handler of yours is first
"""

from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException

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
        try:
            result = await worker.run(lambda: engine.generate(request.prompt, request.max_new_tokens, params))
        except Exception as error:
            raise HTTPException(500, f"generation failed: {error}") from error
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream")
    async def stream(request: GenerateRequest):
        params = request.to_sampling_params()
        pieces = await worker.open(lambda: engine.stream(request.prompt, request.max_new_tokens, params))
        return TextStream(pieces)

    return app
