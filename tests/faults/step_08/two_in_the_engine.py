"""Gives every request a thread: two of them run through one model at the same time.

Passes everything required; only stars are missed.

Caught by: test_the_engine_serves_one_request_at_a_time
Says: let one thread, or a lock, keep order
"""

import asyncio

from fastapi import FastAPI, HTTPException
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
    pending = 0

    @app.get("/health")
    async def health():
        return {"status": "ok"}

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        nonlocal pending
        if pending >= max_pending:
            raise HTTPException(503, "busy", headers={"Retry-After": "1"})
        pending += 1
        try:
            params = request.to_sampling_params()
            result = await asyncio.to_thread(engine.generate, request.prompt, request.max_new_tokens, params)
        finally:
            pending -= 1
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream")
    async def stream(request: GenerateRequest):
        nonlocal pending
        if pending >= max_pending:
            raise HTTPException(503, "busy", headers={"Retry-After": "1"})
        pending += 1
        try:
            params = request.to_sampling_params()
            pieces = iter(await asyncio.to_thread(engine.stream, request.prompt, request.max_new_tokens, params))
            first = await asyncio.to_thread(next, pieces, None)
        except BaseException:
            pending -= 1
            raise

        async def body():
            nonlocal pending
            try:
                piece = first
                while piece is not None:
                    yield piece
                    piece = await asyncio.to_thread(next, pieces, None)
            finally:
                pending -= 1

        return StreamingResponse(body(), media_type="text/plain")

    return app
