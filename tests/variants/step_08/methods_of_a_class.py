"""Endpoints are methods of a class, with `Annotated` bodies; anyio's threads; parameters beyond those asked for."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Body, FastAPI
from fastapi.responses import StreamingResponse
from starlette.concurrency import iterate_in_threadpool

from shared.result import GenerateResult
from shared.sampling_params import SamplingParams

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse

Asked = Annotated[GenerateRequest, Body(description="what to generate")]


@dataclass(frozen=True, eq=False)
class CachedEngine:
    model: Any
    tokenizer: Any
    name: str = "cached"
    labels: Mapping[str, str] = field(default_factory=dict)

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None, **labels: str
    ) -> GenerateResult:
        generation = generate_cached(self.model, self.tokenizer, prompt, max_new_tokens=max_new_tokens, params=params)
        return summarize(generation)

    def stream(self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None):
        pieces = generate_stream(self.model, self.tokenizer, prompt, max_new_tokens=max_new_tokens, params=params)
        return (piece for piece in pieces)


class Endpoints:
    def __init__(self, engine: Any, threads: int) -> None:
        self.engine, self.threads = engine, anyio.CapacityLimiter(threads)
        self.router = APIRouter(tags=["inference"])
        self.router.get("/health", summary="Is anybody there?")(self.health)
        self.router.post("/generate", response_model=GenerateResponse, response_model_exclude_none=True)(self.generate)
        self.router.post("/stream", response_class=StreamingResponse)(self.stream)

    async def health(self) -> dict[str, Any]:
        return {"status": "up", "busy": self.threads.borrowed_tokens}

    async def generate(self, asked: Asked) -> dict[str, Any]:
        def work() -> GenerateResult:
            return self.engine.generate(asked.prompt, asked.max_new_tokens, params=asked.to_sampling_params())

        result = await anyio.to_thread.run_sync(work, limiter=self.threads)
        return dict(text=result.text, metrics=result.metrics.as_dict())

    async def stream(self, asked: Asked) -> StreamingResponse:
        return StreamingResponse(self._pieces(asked), 200, {"cache-control": "no-store"}, "text/plain")

    async def _pieces(self, asked: GenerateRequest) -> AsyncIterator[str]:
        pieces = self.engine.stream(asked.prompt, asked.max_new_tokens, params=asked.to_sampling_params())
        async for piece in iterate_in_threadpool(iter(pieces)):
            yield piece


def create_app(engine: Any, max_pending: int = 8, *, title: str = "inference", threads: int = 1) -> FastAPI:
    app = FastAPI(title=title, redirect_slashes=False)
    app.include_router(Endpoints(engine, threads).router)
    return app
