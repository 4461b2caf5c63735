"""Holds the engine's lock in a response that is not closed when the client leaves: the next request waits for ever.

Passes everything required; only stars are missed.

Caught by: test_a_client_that_leaves_stops_the_generation
Says: must be given back however it ends
Source: textgen#2475
"""

import asyncio
import threading

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from shared.responses import add_error_handlers

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
    app = FastAPI()
    add_error_handlers(app)
    turn = threading.Lock()

    @app.get("/health")
    async def health():
        return {"status": "ok"}

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        await asyncio.to_thread(turn.acquire)
        try:
            params = request.to_sampling_params()
            result = await asyncio.to_thread(engine.generate, request.prompt, request.max_new_tokens, params)
        finally:
            turn.release()
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream")
    async def stream(request: GenerateRequest):
        await asyncio.to_thread(turn.acquire)
        try:
            pieces = iter(engine.stream(request.prompt, request.max_new_tokens, request.to_sampling_params()))
            first = await asyncio.to_thread(next, pieces, None)
        except BaseException:
            turn.release()
            raise

        async def body():
            piece = first
            while piece is not None:
                yield piece
                try:
                    piece = await asyncio.to_thread(next, pieces, None)
                except Exception:
                    turn.release()
                    raise
            turn.release()

        return StreamingResponse(body(), media_type="text/plain")

    return app
