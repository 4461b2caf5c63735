"""One worker for all apps of the same max_pending.

Caught by: test_apps_share_nothing
Says: two apps share nothing, the worker neither
"""

import asyncio
import copy
import dataclasses
import functools
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ValidationError

from shared.engine import Engine
from shared.metrics import RequestMetrics, ServingMetrics
from shared.responses import TextStream, add_error_handlers
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams
from shared.worker import EngineWorker

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


@functools.lru_cache
def worker_for(max_pending: int) -> EngineWorker:
    return EngineWorker(max_pending)


class CachedEngine:
    def __init__(self, model, tokenizer) -> None:
        self.model = model
        self.tokenizer = tokenizer

    def generate(self, prompt, max_new_tokens=None, params=None):
        return summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))

    def stream(self, prompt, max_new_tokens=None, params=None):
        return generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params)


def create_app(engine: Engine, max_pending: int = 8) -> FastAPI:
    worker = worker_for(max_pending)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        worker.close()

    app = FastAPI(title="Inference Kata", lifespan=lifespan)
    add_error_handlers(app)

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        params = request.to_sampling_params()
        result = await worker.run(lambda: engine.generate(request.prompt, request.max_new_tokens, params))
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream", response_class=TextStream)
    async def stream(request: GenerateRequest) -> TextStream:
        params = request.to_sampling_params()
        pieces = await worker.open(lambda: engine.stream(request.prompt, request.max_new_tokens, params))
        return TextStream(pieces)

    return app
