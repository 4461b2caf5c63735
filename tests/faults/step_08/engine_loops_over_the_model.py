"""The engine streams by a loop of its own over the model, which knows neither settings nor an end of the turn.

Caught by: test_the_engine_streams_the_stream
Says: the engine calls the model itself
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import torch
from fastapi import FastAPI

from shared.engine import Engine
from shared.responses import TextStream, add_error_handlers
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams
from shared.worker import EngineWorker

from .step_01_chat_template import prepare_inputs
from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer) -> None:
        self.model = model
        self.tokenizer = tokenizer

    def generate(self, prompt, max_new_tokens=None, params=None):
        return summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))

    def stream(self, prompt, max_new_tokens=None, params=None):
        inputs, past = prepare_inputs(self.tokenizer, self.model, prompt), None
        ids = inputs["input_ids"]
        for _ in range(max_new_tokens or 128):
            with torch.inference_mode():
                out = self.model(input_ids=ids, past_key_values=past, use_cache=True)
            ids, past = out.logits[:, -1:].argmax(-1), out.past_key_values
            yield self.tokenizer.decode(ids[0], skip_special_tokens=True)


def create_app(engine: Engine, max_pending: int = 8) -> FastAPI:
    worker = EngineWorker(max_pending)

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
