"""What an HTTP server needs around its endpoints: errors that give nothing away, and a stream that is always closed.

It knows nothing of engines or models.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from shared.limits import RequestRefused
from shared.worker import Busy, Stopped

RETRY_AFTER_S = 1
NOT_READ = "The body was not read as JSON: send it with the header Content-Type: application/json"


class TextStream(StreamingResponse):
    """Plain text, sent chunk by chunk as an asynchronous iterator gives it.

    The iterator is closed on every way out. Starlette's own class leaves it open when the client goes while a chunk is
    being sent, or before the first: then the engine would go on for nobody.
    """

    media_type = "text/plain"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self.body_iterator.aclose()


def add_error_handlers(app: FastAPI) -> None:
    """Give every error of a request its status, always as JSON under `detail`.

    422: a body that the schema refuses, or `RequestRefused`; a list that names places and limits, never a value.
    503: `Busy` or `Stopped`, with `Retry-After`.
    500: everything else, without a word about it; the server's log has the traceback.
    """
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(RequestRefused, _refused)
    app.add_exception_handler(Busy, _unavailable)
    app.add_exception_handler(Stopped, _unavailable)
    app.add_exception_handler(Exception, _failed)


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    says_json = "json" in request.headers.get("content-type", "").lower()
    is_read = says_json or not isinstance(error.body, bytes)  # FastAPI reads as JSON only what says that it is
    return _unprocessable(
        [_problem(found["type"], found["loc"], _message(found) if is_read else NOT_READ) for found in error.errors()]
    )


def _message(found: Mapping[str, Any]) -> str:
    """What is wrong; of a text that is no JSON also what the parser expected, where that is told."""
    expected = found.get("ctx", {}).get("error") if found["type"] == "json_invalid" else None
    return f"{found['msg']}: {expected}" if expected else found["msg"]


async def _refused(request: Request, error: RequestRefused) -> JSONResponse:
    return _unprocessable([_problem("request_refused", ("body",), str(error))])


async def _unavailable(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=503, headers={"Retry-After": str(RETRY_AFTER_S)})


async def _failed(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": "Internal Server Error"}, status_code=500)


def _unprocessable(problems: list[dict[str, object]]) -> JSONResponse:
    return JSONResponse({"detail": problems}, status_code=422)


def _problem(kind: str, place: Sequence[str | int], message: str) -> dict[str, object]:
    """One entry of FastAPI's error list, without its `input`: that may be a secret, or NaN, which JSON cannot hold."""
    return {"type": kind, "loc": [_writable(part) for part in place], "msg": _writable(message)}


def _writable(part: str | int) -> str | int:
    """The same, with half a surrogate pair spelt out: a client may name a field that UTF-8 cannot write."""
    return part.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(part, str) else part
