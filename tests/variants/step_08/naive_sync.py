"""The source text's own hints and nothing more: plain `def` endpoints in FastAPI's threads, no worker, no limit."""

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer):
        self.model, self.tokenizer = model, tokenizer

    def generate(self, prompt, max_new_tokens=None, params=None):
        return summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))

    def stream(self, prompt, max_new_tokens=None, params=None):
        return generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params)


def create_app(engine, max_pending=8):
    app = FastAPI()

    @app.get("/health")
    def health():
        return {"status": "healthy", "engine": type(engine).__name__}

    @app.post("/generate", response_model=GenerateResponse)
    def generate(request: GenerateRequest):
        result = engine.generate(request.prompt, request.max_new_tokens, request.to_sampling_params())
        return {"text": result.text, "metrics": result.metrics.as_dict()}

    @app.post("/stream")
    def stream(request: GenerateRequest):
        pieces = engine.stream(request.prompt, request.max_new_tokens, request.to_sampling_params())
        return StreamingResponse(pieces, media_type="text/plain")

    return app
