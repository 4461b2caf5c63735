"""Waits for its turn in FastAPI's own threads: forty requests that wait leave none for a plain `def health`.

Passes everything required; only stars are missed.

Caught by: test_health_answers_while_the_engine_works
Says: hold every thread that could answer
Source: mlrun#5763
"""

import threading

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
    turn, places = threading.Lock(), threading.Semaphore(max_pending)

    def take_a_place():
        if not places.acquire(blocking=False):
            raise HTTPException(503, "busy", headers={"Retry-After": "1"})

    @app.get("/health")
    def health():
        return {"status": "ok"}

    @app.post("/generate")
    def generate(request: GenerateRequest) -> GenerateResponse:
        take_a_place()
        try:
            with turn:
                result = engine.generate(request.prompt, request.max_new_tokens, request.to_sampling_params())
        finally:
            places.release()
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream")
    def stream(request: GenerateRequest):
        pieces = engine.stream(request.prompt, request.max_new_tokens, request.to_sampling_params())
        return StreamingResponse(pieces, media_type="text/plain")

    return app
