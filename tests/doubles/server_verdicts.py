"""Asks a learner's server and judges what comes back. Knows both ways to ask: in one process, and on a socket."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI

from kata.failure import expect
from tests.doubles.asgi import Answer
from tests.doubles.in_process import InProcess, in_process
from tests.doubles.live_server import PATIENCE_S
from tests.doubles.server_slips import told
from tests.doubles.texts import spelling

ENDPOINTS = ("/generate", "/stream")
HELLO = {"prompt": "Hello"}

CreateApp = Callable[..., FastAPI]


class Client:
    """Requests in one process. An error of the server's code is a failure of the check, unless the app is `quiet`."""

    def __init__(self, client: InProcess) -> None:
        self._client = client

    def get(self, path: str) -> Answer:
        with told(asked(path)):
            return self._client.get(path)

    def post(self, path: str, body: object) -> Answer:
        with told(asked(path, body)):
            return self._client.post(path, body)

    def post_bytes(self, path: str, content: bytes) -> Answer:
        with told(asked(path, repr(content))):
            return self._client.post_bytes(path, content)


@contextmanager
def client_of(app: FastAPI, quiet: bool = False) -> Iterator[Client]:
    """A client of the app, with its lifespan running."""
    expect(
        isinstance(app, FastAPI), call="create_app(engine)", got=repr(app), wanted="a FastAPI", why="return the app."
    )
    with in_process(app, quiet) as client:
        yield Client(client)


def asked(path: str, body: object = None) -> str:
    """The request as the report shows it: `POST /generate {"prompt": "Hello"}`."""
    if body is None:
        return f"GET {path}"
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return f"POST {path} {text if len(text) <= 120 else text[:100] + '…'}"


def expect_status(answer: Answer, status: int, call: str, why: str) -> None:
    problems = (as_json(answer.body) or {}).get("detail") if (answer.status, status) == (422, 200) else None
    if isinstance(problems, list) and any((each.get("loc") or [""])[0] != "body" for each in problems):
        why = "FastAPI looks for a part of this request outside its body: let the endpoint take a GenerateRequest."
    elif isinstance(problems, list) and any((each.get("loc") or [""])[-1] == "request" for each in problems):
        why = "FastAPI looks for the request in a field of the body (`embed`): the whole body is the GenerateRequest."
    expect(answer.status == status, call=call, got=answer, wanted=f"status {status}", why=why)


def expect_whole(answer: Answer, text: str, call: str) -> None:
    """Whether /stream answered, and the chunks joined are the text."""
    expect_status(answer, 200, call, "a stream that goes well answers 200.")
    got = answer.body.decode("utf-8", "replace")
    shown = spelling(got, text)
    why = "/stream sends what engine.stream yields, and nothing else: no JSON, no line ends of its own."
    if len(got) < len(text) and _is_part(got, text):
        why = (
            "/stream sends what engine.stream yields, and all of it: here something is left out on the way. Blanks are "
        )
        why += "text, and what a buffer still holds at the end is too."
    expect(
        got == text and not answer.broken,
        call=call,
        got=shown(got) + (f", then {answer.broken}" if answer.broken else ""),
        wanted=shown(text),
        why=why,
    )


def _is_part(some: str, text: str) -> bool:
    """Whether some stands in the text, in this order, with or without other characters between."""
    rest = iter(text)
    return all(character in rest for character in some)


def body_of(answer: Answer, call: str) -> dict:
    """The JSON of a good /generate."""
    expect_status(answer, 200, call, "/generate answers a valid request with 200.")
    body = as_json(answer.body) if "json" in answer.headers.get("content-type", "") else None
    expect(
        isinstance(body, dict) and type(body.get("text")) is str and isinstance(body.get("metrics"), dict),
        call=call,
        got=answer,
        wanted='application/json, with "text" and "metrics"',
        why="/generate answers with a GenerateResponse: the engine's text, and result.metrics.as_dict().",
    )
    return body


def as_json(body: bytes) -> Any:
    """The body as strict JSON (NaN is none), or None."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        return json.loads(body, parse_constant=refuse)
    except ValueError:
        return None


def names_field(answer: Answer, field: str) -> bool:
    """Whether a 422 has FastAPI's shape and its place or message names the field."""
    body = as_json(answer.body)
    problems = body.get("detail") if isinstance(body, dict) else None
    if not isinstance(problems, list):
        return False
    places = [(problem.get("loc"), problem.get("msg")) for problem in problems if isinstance(problem, dict)]
    return any(field in (loc or ()) or field in str(msg) for loc, msg in places)


def patiently(ask: Callable[[], Answer]) -> Answer:
    """The answer once it is no 503: a place may be given back a moment after the answer that it was taken for."""
    deadline = time.monotonic() + PATIENCE_S
    while (answer := ask()).status == 503 and time.monotonic() < deadline:
        time.sleep(0.02)
    return answer
