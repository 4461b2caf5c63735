"""Step 8: put an engine behind HTTP. The event loop only waits; a worker's thread does the engine's work."""

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


class CachedEngine:
    """The `Engine` that steps 1 to 6 have built."""

    def __init__(self, model, tokenizer) -> None:
        self.model = model
        self.tokenizer = tokenizer

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> GenerateResult:
        """The whole answer with its metrics: `generate_cached`, summarized."""
        # TODO 8: summarize what generate_cached gives (about 1 line)
        raise NotImplementedError("TODO 8: summarize what generate_cached gives")

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> Iterator[str]:
        """The same answer in pieces, each as soon as it is there."""
        # TODO 8: hand out generate_stream (about 1 line)
        raise NotImplementedError("TODO 8: hand out generate_stream")


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
        # TODO 8: say that all is well (about 1 line)
        raise NotImplementedError("TODO 8: say that all is well")

    @app.post("/generate")
    async def generate(request: GenerateRequest) -> GenerateResponse:
        """The whole answer, with what it cost."""
        # TODO 8: `await worker.run(…)` a call of engine.generate, make the response of it (about 4 lines)
        raise NotImplementedError("TODO 8: `await worker.run(…)` a call of engine.generate, make the response of it")

    @app.post("/stream", response_class=TextStream)
    async def stream(request: GenerateRequest) -> TextStream:
        """The same answer as plain text, piece by piece."""
        # TODO 8: `await worker.open(…)` a call of engine.stream, make a TextStream of it (about 3 lines)
        raise NotImplementedError("TODO 8: `await worker.open(…)` a call of engine.stream, make a TextStream of it")

    return app
