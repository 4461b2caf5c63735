"""What the servers of the duel are put together from: a small FastAPI app without a model, right unless told otherwise."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Prompt = Annotated[str, StringConstraints(pattern=r"\S")]
Route = tuple[str, str]  # method and path


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


def generates(ask: Any) -> Any:
    """An answer that ends by itself or at the limit, whichever comes first."""
    return answer(output_tokens=min(3, ask.max_new_tokens))


def streams(ask: Any) -> Any:
    return StreamingResponse(iter(["Hello", " there!"]), media_type="text/plain; charset=utf-8")


def says(content: Any, status: int = 200) -> Callable[..., Response]:
    """An endpoint's work that gives the same content each time: text as plain text, all else as JSON."""
    kind = PlainTextResponse if isinstance(content, str) else JSONResponse
    return lambda *_: kind(content, status)


def raises(*_: Any) -> Any:
    raise RuntimeError("the engine has died")


def refuses(request: Request, error: RequestValidationError) -> JSONResponse:
    """422 with the names of the fields, and none of their values."""
    fields = [{"loc": problem["loc"], "msg": problem["msg"], "type": problem["type"]} for problem in error.errors()]
    return JSONResponse({"detail": fields}, 422)


def server(
    health: Callable[[], Any] = healthy,
    generate: Callable[[Any], Any] = generates,
    stream: Callable[[Any], Any] = streams,
    *,
    health_at: Route = ("GET", "/health"),
    generate_at: Route = ("POST", "/generate"),
    stream_at: Route = ("POST", "/stream"),
    ask: type[BaseModel] = Ask,
    refuse: Callable[[Request, RequestValidationError], Response] = refuses,
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None,
) -> FastAPI:
    """A fresh app. Whatever an endpoint's work returns goes out as JSON, unless it is a response already."""
    app = FastAPI(lifespan=lifespan, exception_handlers={RequestValidationError: refuse})

    @app.api_route(health_at[1], methods=[health_at[0]])
    async def health_endpoint() -> Any:
        return health()

    @app.api_route(generate_at[1], methods=[generate_at[0]])
    async def generate_endpoint(request: ask) -> Any:
        return generate(request)

    @app.api_route(stream_at[1], methods=[stream_at[0]])
    async def stream_endpoint(request: ask) -> Any:
        return stream(request)

    return app


def starts_late() -> FastAPI:
    """Loads its engine when it starts, not when it is made: out of service unless the lifespan runs."""
    ready: list[bool] = []

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        ready.append(True)
        yield
        ready.clear()

    def when_ready(work: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *asked: work(*asked) if ready else PlainTextResponse("starting", 503)

    return server(when_ready(healthy), when_ready(generates), when_ready(streams), lifespan=lifespan)
