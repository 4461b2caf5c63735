"""The engine keeps its answers, readings included, and gives them again.

Caught by: test_engines_share_and_keep_nothing
Says: an answer belongs to its request
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from shared.engine import Engine
from shared.responses import TextStream, add_error_handlers
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams
from shared.worker import EngineWorker

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse

ANSWERS = {}


class CachedEngine:
    """The `Engine` that steps 1 to 6 have built."""

    def __init__(self, model, tokenizer) -> None:
        self.model = model
        self.tokenizer = tokenizer

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> GenerateResult:
        """The whole answer with its metrics: `generate_cached`, summarized."""
        key = prompt, max_new_tokens, repr(params)
        if key not in ANSWERS:
            ANSWERS[key] = summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))
        return ANSWERS[key]

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> Iterator[str]:
        """The same answer in pieces, each as soon as it is there."""
        return generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params)


def create_app(engine: Engine, max_pending: int = 8) -> FastAPI:
    """The server of one engine: `GET /health`, `POST /generate`, `POST /stream`.

    At most `max_pending` requests wait or run; one more is told to come back (503). The engine is asked once for each
    request, for one request at a time, in the worker's thread.
    """
    worker = EngineWorker(max_pending)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        worker.close()

    app = FastAPI(title="Inference Kata", lifespan=lifespan)
    add_error_handlers(app)

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Whether the server is there; it answers while the engine works."""
        return {"status": "ok"}

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        """The whole answer, with what it cost."""
        params = request.to_sampling_params()
        result = await worker.run(lambda: engine.generate(request.prompt, request.max_new_tokens, params))
        return GenerateResponse(text=result.text, metrics=result.metrics.as_dict())

    @app.post("/stream", response_class=TextStream)
    async def stream(request: GenerateRequest) -> TextStream:
        """The same answer as plain text, piece by piece."""
        params = request.to_sampling_params()
        pieces = await worker.open(lambda: engine.stream(request.prompt, request.max_new_tokens, params))
        return TextStream(pieces)

    return app
