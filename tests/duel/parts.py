"""What the servers of the duel are made of: a small FastAPI app without a model, right unless told otherwise."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

Prompt = Annotated[str, StringConstraints(pattern=r"\S", max_length=100_000)]
ShortPrompt = Annotated[str, StringConstraints(pattern=r"\S", max_length=4_096)]
Route = tuple[str, str]  # methods, with spaces between, and path
Work = Callable[..., Any]  # what an endpoint does with a request that is fine


class Ask(BaseModel):
    """A request as step 7 defines it: the bounds, no unknown field, no text or bool for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)
    prompt: Prompt
    max_new_tokens: int = Field(128, ge=1, le=512)
    temperature: float = Field(0.0, ge=0, le=2)
    top_k: int = Field(50, ge=1, le=100)


def metrics(**changes: Any) -> dict[str, Any]:
    """Metrics of an answer of three tokens, with changes; what is changed to `LEFT_OUT` is not there."""
    figures = {
        "latency_ms": 12.5,
        "input_tokens": 9,
        "output_tokens": 3,
        "throughput": 240.0,
        "used_cache": True,
        "finish_reason": "length",
        "ttft_ms": 4.5,
        "tpot_ms": 4.0,
    }
    return {name: value for name, value in (figures | changes).items() if value is not LEFT_OUT}


LEFT_OUT = object()


def answer(text: str = "Hello there!", **changes: Any) -> dict[str, Any]:
    """The body of a good answer; changes are changes of its metrics."""
    return {"text": text, "metrics": metrics(**changes)}


def healthy() -> Any:
    return {"status": "ok"}


def generates(ask: Any, **changes: Any) -> Any:
    """An answer that ends by itself or at the limit, whichever comes first; changes are changes of its metrics."""
    return answer(output_tokens=min(3, ask.max_new_tokens), **changes)


def streams(ask: Any) -> Any:
    return StreamingResponse(iter(["Hello", " there!"]), media_type="text/plain; charset=utf-8")


def says(content: Any, status: int = 200) -> Work:
    """An endpoint's work that gives the same content each time: text as plain text, all else as JSON."""
    kind = PlainTextResponse if isinstance(content, str) else JSONResponse
    return lambda *_: kind(content, status)


def raises(*_: Any) -> Any:
    raise RuntimeError("the engine has died")


def refuses(error: ValidationError) -> Response:
    """422 with the names of the fields, and none of their values."""
    fields = [{"loc": ["body", *each["loc"]], "msg": each["msg"], "type": each["type"]} for each in error.errors()]
    return JSONResponse({"detail": fields}, 422)


def server(
    health: Work = healthy,
    generate: Work = generates,
    stream: Work = streams,
    *,
    health_at: Route = ("GET", "/health"),
    generate_at: Route = ("POST", "/generate"),
    stream_at: Route = ("POST", "/stream"),
    ask: type[BaseModel] = Ask,
    stream_ask: type[BaseModel] | None = None,
    refuse: Callable[[ValidationError], Response] = refuses,
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None,
) -> FastAPI:
    """A fresh app. Whatever an endpoint's work returns goes out as JSON, unless it is a response already.

    The duel makes hundreds of apps: plain routes are made in a tenth of the time that FastAPI's take.
    """

    async def answer_health(request: Request) -> Response:
        return _response(health())

    def answering(work: Work, ask: type[BaseModel] = ask) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            try:
                asked = _read(ask, await request.body(), request.headers.get("content-type", ""))
            except ValidationError as error:
                return refuse(error)
            return _response(work(asked))

        return endpoint

    app = FastAPI(lifespan=lifespan, openapi_url=None)
    endpoints = (
        (health_at, answer_health),
        (generate_at, answering(generate)),
        (stream_at, answering(stream, stream_ask or ask)),
    )
    for (methods, path), endpoint in endpoints:
        app.add_route(path, endpoint, methods=methods.split())
    return app


def _read(ask: type[BaseModel], body: bytes, content_type: str) -> BaseModel:
    """The request, where it says that it is JSON; bytes of any other kind are no request, as FastAPI has it."""
    return ask.model_validate_json(body) if "json" in content_type else ask.model_validate(body)


def _response(content: Any) -> Response:
    return content if isinstance(content, Response) else JSONResponse(content)


def starts_late() -> FastAPI:
    """Loads its engine when it starts, not when it is made: out of service unless the lifespan runs."""
    ready: list[bool] = []

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        ready.append(True)
        yield
        ready.clear()

    def when_ready(work: Work) -> Work:
        return lambda *asked: work(*asked) if ready else PlainTextResponse("starting", 503)

    return server(when_ready(healthy), when_ready(generates), when_ready(streams), lifespan=lifespan)
