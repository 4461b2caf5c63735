"""Asks whether model and tokenizer are the library's, warms the model up, and logs how long each conversation is."""

import logging
from contextlib import asynccontextmanager

import torch
from fastapi import FastAPI
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from shared.responses import TextStream, add_error_handlers
from shared.worker import EngineWorker

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer):
        if not isinstance(model, PreTrainedModel) or not isinstance(tokenizer, PreTrainedTokenizerBase):
            raise TypeError(f"neither {type(model)} nor {type(tokenizer)} is expected here")
        if not callable(model) or tokenizer.chat_template is None:
            raise ValueError("a chat needs a model that can be called, and a template")
        self.model = model
        self.tokenizer = tokenizer
        with torch.inference_mode():
            model(torch.tensor([[0]], device=model.device))
        model.generate(torch.tensor([[0]], device=model.device), max_new_tokens=1)

    def generate(self, prompt, max_new_tokens=None, params=None):
        self.log(prompt)
        return summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))

    def stream(self, prompt, max_new_tokens=None, params=None):
        self.log(prompt)
        return generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params)

    def log(self, prompt):
        turns = [{"role": "user", "content": prompt}]
        ids = self.tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
        logging.info("%d ids, %d of them the prompt's", len(ids), len(self.tokenizer.encode(prompt)))


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
