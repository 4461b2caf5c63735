"""The server's surroundings: a text stream is closed on every way out, and errors of a request are plain JSON."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict
from starlette.requests import ClientDisconnect

from shared.limits import RequestRefused
from shared.responses import TextStream, add_error_handlers
from shared.worker import Busy, Stopped
from tests.doubles.held import drive

Send = Callable[[dict], Awaitable[None]]


class Pieces(AsyncIterator[str]):
    """Gives pieces without end, or fails at one; knows whether it was closed."""

    def __init__(self, last: int = 1000, error: Exception | None = None) -> None:
        self.last, self.error, self.given, self.closed = last, error, 0, 0

    async def __anext__(self) -> str:
        await asyncio.sleep(0)
        if self.given == self.last:
            raise self.error or StopAsyncIteration
        self.given += 1
        return f"{self.given} "

    async def aclose(self) -> None:
        self.closed += 1


async def respond(pieces: Pieces, send: Send, leaves: asyncio.Event, spec: str = "2.3") -> None:
    async def receive() -> dict:
        await leaves.wait()
        return {"type": "http.disconnect"}

    await TextStream(pieces)({"type": "http", "asgi": {"spec_version": spec}}, receive, send)


def test_a_stream_that_ends_is_closed() -> None:
    async def body() -> None:
        pieces, sent = Pieces(last=3), []

        async def send(message: dict) -> None:
            sent.append(message)

        await respond(pieces, send, asyncio.Event())
        assert b"".join(message.get("body", b"") for message in sent) == b"1 2 3 "
        assert (b"content-type", b"text/plain; charset=utf-8") in sent[0]["headers"]
        assert pieces.closed

    drive(body)


@pytest.mark.parametrize("stuck_at", ["http.response.start", "http.response.body"])
def test_a_client_that_leaves_while_something_is_sent_closes_the_stream(stuck_at: str) -> None:
    async def body() -> None:
        pieces, leaves = Pieces(), asyncio.Event()

        async def send(message: dict) -> None:
            if message["type"] == stuck_at:
                leaves.set()
                await asyncio.Event().wait()

        await respond(pieces, send, leaves)
        assert pieces.closed
        assert pieces.given <= 1

    drive(body)


@pytest.mark.parametrize("spec", ["2.3", "2.4"])
def test_a_socket_that_breaks_closes_the_stream(spec: str) -> None:
    async def body() -> None:
        pieces = Pieces()

        async def send(message: dict) -> None:
            raise OSError("broken pipe")

        with pytest.raises((OSError, ClientDisconnect)):
            await respond(pieces, send, asyncio.Event(), spec)
        assert pieces.closed

    drive(body)


def test_a_cancelled_response_closes_the_stream() -> None:
    async def body() -> None:
        pieces, sent = Pieces(), asyncio.Event()

        async def send(message: dict) -> None:
            if message.get("body"):
                sent.set()
                await asyncio.Event().wait()

        response = asyncio.create_task(respond(pieces, send, asyncio.Event()))
        await sent.wait()
        response.cancel()
        with pytest.raises(asyncio.CancelledError):
            await response
        assert pieces.closed

    drive(body)


def test_an_error_of_the_pieces_comes_out_and_closes_the_stream() -> None:
    async def body() -> None:
        pieces = Pieces(last=2, error=ValueError("ours"))

        async def send(message: dict) -> None:
            pass

        with pytest.raises(ValueError, match="ours"):
            await respond(pieces, send, asyncio.Event())
        assert pieces.closed

    drive(body)


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    number: float


def client_raising(error: Exception | None = None) -> TestClient:
    app = FastAPI()
    add_error_handlers(app)

    @app.post("/")
    async def endpoint(body: Body) -> None:
        if error is not None:
            raise error

    return TestClient(app, raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("content", "place", "kind"),
    [
        (b'{"number": "sesame"}', ["body", "number"], "float_type"),
        (b'{"number": NaN, "x": 1}', ["body", "x"], "extra_forbidden"),
        (b'{"number": 1', ["body", 12], "json_invalid"),
    ],
)
def test_a_bad_body_is_told_by_place_kind_and_message_alone(content: bytes, place: list, kind: str) -> None:
    response = client_raising().post("/", content=content, headers={"content-type": "application/json"})
    problems = response.json()["detail"]
    assert response.status_code == 422
    assert (place, kind) in [(problem["loc"], problem["type"]) for problem in problems]
    assert all(set(problem) == {"type", "loc", "msg"} for problem in problems)
    assert "sesame" not in response.text


def test_a_text_that_is_no_json_is_told_with_what_the_parser_expected() -> None:
    response = client_raising().post("/", content=b"{'number': 1}", headers={"content-type": "application/json"})
    assert "Expecting property name" in response.json()["detail"][0]["msg"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_body_that_does_not_say_that_it_is_json_is_told_what_to_send(kind: str) -> None:
    response = client_raising().post("/", content=b'{"number": 1}', headers={"content-type": kind})
    assert response.status_code == 422
    (problem,) = response.json()["detail"]
    assert problem["loc"] == ["body"] and "Content-Type: application/json" in problem["msg"]


@pytest.mark.parametrize("kind", ["json_invalid", "missing"])
def test_an_endpoint_that_reads_its_body_itself_may_say_what_is_wrong(kind: str) -> None:
    error = RequestValidationError([{"type": kind, "loc": ("body", "x"), "msg": "in its own words"}], body=b"{")
    response = client_raising(error).post("/", json={"number": 1})
    assert response.status_code == 422
    assert response.json()["detail"] == [{"type": kind, "loc": ["body", "x"], "msg": "in its own words"}]


def test_a_field_that_utf8_cannot_write_is_a_422() -> None:
    content = b'{"number": 1, "\\ud800": 1}'
    response = client_raising().post("/", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 422


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (RequestRefused("5 is more than 4"), 422, "5 is more than 4"),
        (RequestRefused("half a character: \ud83d"), 422, "half a character: \\ud83d"),
        (Busy("8 are pending"), 503, "8 are pending"),
        (Stopped("shutting down"), 503, "shutting down"),
        (ValueError("sesame"), 500, "Internal Server Error"),
    ],
)
def test_each_error_has_its_status(error: Exception, status: int, told: str) -> None:
    response = client_raising(error).post("/", json={"number": 1})
    assert response.status_code == status
    detail = response.json()["detail"]
    assert (detail if isinstance(detail, str) else detail[0]["msg"]) == told
    assert "sesame" not in response.text
    assert ("retry-after" in response.headers) is (status == 503)
