"""Keeps U+FFFD out of the stream, as a sign of half a character; step 6 has seen to that.

Caught by: test_stream_sends_the_engines_text
Says: something is left out on the way
"""

from contextlib import asynccontextmanager

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

        def whole():
            for piece in engine.stream(request.prompt, request.max_new_tokens, params):
                yield piece.replace("\ufffd", "")

        pieces = await worker.open(whole)
        return TextStream(pieces)

    return app
