"""Reads the model's context and size and the tokenizer's vocabulary when it is made, and counts a prompt's tokens."""

import logging
from contextlib import asynccontextmanager

import torch
from fastapi import FastAPI

from shared.responses import TextStream, add_error_handlers
from shared.worker import EngineWorker

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer):
        if not isinstance(model, torch.nn.Module) or not callable(tokenizer):
            raise TypeError(f"neither {type(model)} nor {type(tokenizer)} is expected here")
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.name = f"{model.config.model_type} {tokenizer.name_or_path}"
        self.context = model.config.max_position_embeddings
        self.size = sum(weights.numel() for weights in model.parameters())
        self.vocabulary = len(tokenizer)

    def generate(self, prompt, max_new_tokens=None, params=None):
        logging.info("a prompt of %d tokens", len(self.tokenizer(prompt)["input_ids"]))
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
        pieces = await worker.open(lambda: engine.stream(request.prompt, request.max_new_tokens, params))
        return TextStream(pieces)

    return app
