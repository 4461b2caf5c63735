"""Everyone in the duel: the servers that are right, however they look, and those that are broken in one way each.

A server's `name` is told once it is caught. `outside` is what a caller sees; it must not give the assertion away.
"""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from pydantic import Field, create_model

from tests.duel.parts import (
    LEFT_OUT,
    Ask,
    ShortPrompt,
    answer,
    generates,
    healthy,
    metrics,
    raises,
    says,
    server,
    starts_late,
)
from tests.duel.the_reference import reference_server

RIGHT = "right"
HEALTH, STATUS, BODY, COUNT = "health", "status of generate", "body of generate", "count of tokens"
STREAM, SETTINGS = "stream", "bad settings"


@dataclass(frozen=True)
class Server:
    """One server of the duel. kind: `RIGHT`, or what is broken; make: a fresh app each time."""

    kind: str
    name: str
    outside: str
    make: Callable[[], FastAPI]


def right(outside: str, make: Callable[..., FastAPI] = server, **parts: Any) -> Server:
    return Server(RIGHT, outside, outside, lambda: make(**parts))


def broken(kind: str, name: str, outside: str, **parts: Any) -> Server:
    return Server(kind, name, outside, lambda: server(**parts))


def counter() -> FastAPI:
    """No two answers alike: neither in text nor in figures, nor in its health."""
    count = itertools.count(1)

    def generate(ask: Ask) -> dict[str, Any]:
        n = next(count)
        return answer(f"Answer number {n}.", output_tokens=1 + n % ask.max_new_tokens, latency_ms=0.5 * n)

    def health() -> dict[str, Any]:
        return {"status": "ok", "asked_before": next(count)}

    return server(health, generate, stream=lambda ask: PlainTextResponse(f"Answer number {next(count)}."))


def dressed_up() -> FastAPI:
    """More fields than were asked for, everywhere."""

    def generate(ask: Ask) -> dict[str, Any]:
        return generates(ask, acceptance_rate=0.5, tokens_proposed=6) | {"id": "a-17", "model": "tiny"}

    return server(says({"status": "ok", "model": "tiny", "uptime_s": 3.5}), generate)


def tells_more(ask: Ask) -> dict[str, Any]:
    """A long echo that speaks of errors, ends for a reason of its own, and measures what is no number."""
    text = f"You said: {ask.prompt} That is an error, not found, null. " * 10
    more = {"finish_reason": "content_filter", "accepted_lengths": [2, 1], "stages": {"prefill_ms": 1.5, "queue": None}}
    return generates(ask, **more) | {"text": text, "detail": "served by a-17", "error": None}


def in_chunks(ask: Ask) -> Response:
    """No text, though tokens were made, in a body that is sent as it is written."""
    body = json.dumps(answer("", output_tokens=min(3, ask.max_new_tokens)))
    chunks = (body[start : start + 20] for start in range(0, len(body), 20))
    return StreamingResponse(chunks, headers={"content-type": "application/json; charset=utf-8"})


def at_these_very_paths() -> FastAPI:
    """Sends nobody from /health/ to /health, has much to say there, and minds no method."""
    much, routes = {"status": "ok", "requests": list(range(2000))}, ("/health", "/generate")
    health_at, generate_at = (("GET POST", path) for path in routes)
    app = server(says(much), in_chunks, health_at=health_at, generate_at=generate_at)
    app.router.redirect_slashes = False
    return app


def counts_only(ask: Ask) -> dict[str, Any]:
    """The least that a right server may say."""
    return {"text": "Hello", "metrics": {"output_tokens": min(3, ask.max_new_tokens)}}


def plain(text: str, *parameters: str) -> Response:
    """Plain text, with parameters of its own after the name of its type."""
    return Response(text, headers={"content-type": "; ".join(["text/plain", *parameters])})


EMOJI = "Grüß dich, 世界! \N{WAVING HAND SIGN}\n"

PLAIN_SERVER = right("a plain server")
RIGHT_SERVERS = (
    PLAIN_SERVER,
    right("the reference itself", reference_server),
    right("its health has other words", health=says({"alive": True})),
    right("its health is plain text", health=says("up and running\n")),
    right("its health has an empty body", health=lambda: Response()),
    right("its bodies have extra fields", dressed_up),
    right(
        "it answers in another language",
        generate=lambda ask: answer(EMOJI, output_tokens=1),
        stream=says(EMOJI),
    ),
    right("it gives another answer each time", counter),
    right(
        "its readings are 0.0, its health is a web page",
        health=lambda: HTMLResponse("<p>It is well.</p>"),
        generate=lambda ask: generates(ask, latency_ms=0.0, throughput=0.0, ttft_ms=0.0, tpot_ms=0.0),
    ),
    right(
        "it did not measure the first token",
        generate=lambda ask: generates(ask, ttft_ms=LEFT_OUT, tpot_ms=LEFT_OUT),
        stream=lambda ask: plain("Hello there!"),
    ),
    right(
        "it tells the count of output tokens and no other figure",
        generate=counts_only,
        stream=lambda ask: plain("Hello there!", "charset=us-ascii", "format=flowed"),
    ),
    right(
        "its model ends at once: no text, one token",
        generate=lambda ask: answer("", output_tokens=1, finish_reason="stop", tpot_ms=LEFT_OUT),
        stream=lambda ask: StreamingResponse(iter(()), media_type="text/plain"),
    ),
    right(
        "it always writes as much as it may",
        generate=lambda ask: answer("ha " * ask.max_new_tokens, output_tokens=ask.max_new_tokens),
    ),
    right(
        "it takes 4,096 characters at most, has no cache, and gives no reason for its end",
        ask=create_model("Ask", __base__=Ask, prompt=(ShortPrompt, ...)),
        generate=lambda ask: generates(ask, used_cache=False, finish_reason=LEFT_OUT),
    ),
    right("it refuses in words of its own", refuse=lambda error: PlainTextResponse("no, not like this", 422)),
    right("its text repeats the prompt and speaks of an error, its figures are lists as well", generate=tells_more),
    right("its paths are exact, its methods are not, its JSON comes in chunks, its text is empty", at_these_very_paths),
    right("it starts its engine when the app starts", starts_late),
)

BROKEN_HEALTH = (
    broken(HEALTH, "503", "out of service, and GET /health says so", health=says({"status": "starting"}, 503)),
    broken(HEALTH, "500 with a good body", "GET /health fails, though its words are fine", health=says(healthy(), 500)),
    broken(HEALTH, "201", "GET /health claims to have made something", health=says(healthy(), 201)),
    broken(HEALTH, "204", "GET /health has nothing to say, and its status says so", health=lambda: Response(None, 204)),
    broken(HEALTH, "302", "GET /health sends its callers away, without a word where to", health=says("moved", 302)),
    broken(HEALTH, "404", "nobody lives at /health", health_at=("GET", "/healthz")),
    broken(HEALTH, "POST only", "GET is not allowed at /health", health_at=("POST", "/health")),
    broken(HEALTH, "raises", "GET /health dies of an error of its own", health=raises),
)

GOOD = answer()
BROKEN_STATUS = (
    broken(STATUS, "404", "nobody lives at /generate", generate_at=("POST", "/v1/generate")),
    broken(STATUS, "GET only", "POST is not allowed at /generate", generate_at=("GET", "/generate")),
    broken(STATUS, "500", "the engine has failed, and the answer says so", generate=says({"detail": "error"}, 500)),
    broken(
        STATUS, "500 with a good body", "an answer marked as failed, though it looks fine", generate=says(GOOD, 500)
    ),
    broken(STATUS, "503", "too busy to answer", generate=says({"detail": "busy"}, 503)),
    broken(STATUS, "429", "the caller is told to ask less often", generate=says(GOOD, 429)),
    broken(STATUS, "201", "an answer marked as something new", generate=says(GOOD, 201)),
    broken(STATUS, "202", "an answer marked as not done yet", generate=says(GOOD, 202)),
    broken(STATUS, "422 for a good request", "refuses a request that is fine", generate=says({"detail": []}, 422)),
    broken(STATUS, "raises", "the endpoint dies of an error of its own", generate=raises),
)

NO_METRICS = {"text": "Hello there!"}
BROKEN_BODY = (
    broken(BODY, "no JSON", "the body is bare text", generate=says("Hello there!")),
    broken(BODY, "empty body", "there is no body at all", generate=lambda ask: Response()),
    broken(
        BODY, "an error told with 200", "the body only tells of an error", generate=says({"error": "out of memory"})
    ),
    broken(BODY, "no metrics", "a text without any metrics", generate=says(NO_METRICS)),
    broken(BODY, "metrics null", "the metrics are nothing", generate=says(NO_METRICS | {"metrics": None})),
    broken(BODY, "metrics unpacked", "the metrics are not where they belong", generate=says(NO_METRICS | metrics())),
)


def _counts(name: str, outside: str, **changes: Any) -> Server:
    return broken(COUNT, name, outside, generate=lambda ask: answer(**changes))


BROKEN_COUNT = (
    _counts("missing", "nobody counted the output", output_tokens=LEFT_OUT),
    _counts("null", "the output's count is nothing", output_tokens=None),
    _counts("text", "the output's count is not a number", output_tokens="3"),
    _counts("renamed", "the output's count goes by another name", output_tokens=LEFT_OUT, completion_tokens=3),
    _counts("zero", "nothing was generated", output_tokens=0),
    _counts("zero, and no text", "nothing was said and nothing was generated", text="", output_tokens=0),
    _counts("negative", "less than nothing was generated", output_tokens=-1),
)

BROKEN_STREAM = (
    broken(STREAM, "404", "nobody lives at /stream", stream_at=("POST", "/streams")),
    broken(STREAM, "GET only", "POST is not allowed at /stream", stream_at=("GET", "/stream")),
    broken(STREAM, "500", "the engine has failed, and the answer says so", stream=says("error", 500)),
    broken(STREAM, "503", "too busy to answer", stream=says("busy", 503)),
    broken(STREAM, "raises", "the endpoint dies of an error of its own", stream=raises),
    broken(STREAM, "JSON", "the text comes packed in JSON", stream=lambda ask: JSONResponse({"text": "Hello there!"})),
    broken(STREAM, "no content type", "nothing says what its text is", stream=lambda ask: Response("Hello there!")),
    broken(STREAM, "HTML", "the text calls itself a web page", stream=lambda ask: HTMLResponse("Hello there!")),
    broken(
        STREAM,
        "event stream",
        "the text comes as events for a browser",
        stream=lambda ask: StreamingResponse(iter(["data: Hello there!\n\n"]), media_type="text/event-stream"),
    ),
)


def _bounded(field: str, kind: type, default: float, **bounds: float) -> type[Ask]:
    return create_model("Ask", __base__=Ask, **{field: (kind, Field(default, **bounds))})


def _lets_in(name: str, ask: type[Ask]) -> Server:
    return broken(SETTINGS, name, name, ask=ask)


ANYTHING = create_model("Anything", prompt=(str, ...), max_new_tokens=(Any, 3), temperature=(Any, 0), top_k=(Any, 50))
BROKEN_SETTINGS = (
    broken(
        SETTINGS,
        "takes whatever it gets",
        "takes whatever it gets at /generate",
        ask=ANYTHING,
        stream_ask=Ask,
        generate=says(GOOD),
    ),
    broken(SETTINGS, "500", "dies of a bad setting", refuse=says({"detail": "error"}, 500)),
    broken(SETTINGS, "400", "refuses a bad setting with another status", refuse=says({"detail": "no"}, 400)),
    broken(
        SETTINGS,
        "200 with an error",
        "refuses in words, while the status says all is well",
        refuse=says({"error": "no"}),
    ),
    _lets_in("max_new_tokens may be too small", _bounded("max_new_tokens", int, 128, le=512)),
    _lets_in("max_new_tokens may be too large", _bounded("max_new_tokens", int, 128, ge=1)),
    _lets_in("temperature may be too small", _bounded("temperature", float, 0.0, le=2)),
    _lets_in("temperature may be too large", _bounded("temperature", float, 0.0, ge=0)),
    _lets_in("top_k may be too small", _bounded("top_k", int, 50, le=100)),
    _lets_in("top_k may be too large", _bounded("top_k", int, 50, ge=1)),
    _lets_in("max_new_tokens may be one too small", _bounded("max_new_tokens", int, 128, ge=0, le=512)),
    _lets_in("max_new_tokens may be one too large", _bounded("max_new_tokens", int, 128, ge=1, le=513)),
    _lets_in("temperature may be a little too small", _bounded("temperature", float, 0.0, ge=-1, le=2)),
    _lets_in("temperature may be a little too large", _bounded("temperature", float, 0.0, ge=0, le=3)),
    _lets_in("top_k may be one too small", _bounded("top_k", int, 50, ge=0, le=100)),
    _lets_in("top_k may be one too large", _bounded("top_k", int, 50, ge=1, le=101)),
)

BROKEN_SERVERS = (*BROKEN_HEALTH, *BROKEN_STATUS, *BROKEN_BODY, *BROKEN_COUNT, *BROKEN_STREAM, *BROKEN_SETTINGS)
SERVERS = (*RIGHT_SERVERS, *BROKEN_SERVERS)
