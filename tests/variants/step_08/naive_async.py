"""`async def` endpoints that run the engine in the event loop; a generator of bytes; the limit in the params only."""

import functools

from fastapi import Body, FastAPI, Response
from fastapi.responses import StreamingResponse

from . import step_04_generate_cached, step_06_streaming
from .step_05_metrics import summarize
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer) -> None:
        self._run = functools.partial(step_04_generate_cached.generate_cached, model, tokenizer)
        self._stream = functools.partial(step_06_streaming.generate_stream, model, tokenizer)

    def generate(self, prompt, max_new_tokens=None, params=None):
        generation = self._run(prompt=prompt, max_new_tokens=max_new_tokens, params=params)
        return summarize(generation)

    def stream(self, prompt, max_new_tokens=None, params=None):
        for piece in self._stream(prompt, max_new_tokens=max_new_tokens, params=params):
            yield piece


def create_app(engine, max_pending=8) -> FastAPI:
    app = FastAPI(docs_url=None)

    async def health() -> Response:
        return Response(status_code=200)

    async def generate(request: GenerateRequest = Body()) -> Response:
        result = engine.generate(request.prompt, params=request.to_sampling_params())
        answer = GenerateResponse(metrics=result.metrics.as_dict(), text=result.text)
        return Response(answer.model_dump_json(), media_type="application/json")

    async def stream(request: GenerateRequest = Body()) -> StreamingResponse:
        async def pieces():
            for piece in engine.stream(prompt=request.prompt, params=request.to_sampling_params()):
                yield piece.encode("utf-8")

        return StreamingResponse(pieces(), headers={"content-type": "text/plain; charset=utf-8"})

    app.add_api_route("/health", health, methods=["GET", "HEAD"])
    app.add_api_route("/generate", generate, methods=["POST"])
    app.add_api_route("/stream", stream, methods=["POST"])
    return app
