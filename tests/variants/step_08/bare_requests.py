"""Reads each body by hand and answers in bare ASGI, a message for each piece; the app is a subclass of `FastAPI`."""

import asyncio
import itertools
import json

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse

HEADERS = [(b"content-type", b'text/plain; charset="utf-8"'), (b"x-content-type-options", b"nosniff")]


class CachedEngine:
    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def generate(self, *args, **kwargs):
        return summarize(generate_cached(*self.args, *args, **self.kwargs, **kwargs))

    def stream(self, *args, **kwargs):
        return itertools.chain(generate_stream(*self.args, *args, **self.kwargs, **kwargs))


async def read(request: Request) -> GenerateRequest:
    try:
        return GenerateRequest.model_validate(json.loads(await request.body()))
    except ValidationError as error:
        wrong = [
            {**each, "loc": ("body", *each["loc"])} for each in error.errors(include_input=False, include_url=False)
        ]
        raise RequestValidationError([{**each, "ctx": {}} for each in wrong]) from None
    except ValueError:
        place = {"type": "json_invalid", "loc": ("body",), "msg": "no JSON"}
        raise RequestValidationError([place]) from None


class Pieces(Response):
    """Whatever the iterator gives, each piece as soon as it is there."""

    def __init__(self, pieces):
        self.pieces, self.background = pieces, None

    async def __call__(self, scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        while (piece := await asyncio.to_thread(next, self.pieces, None)) is not None:
            await send({"type": "http.response.body", "body": piece.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class Server(FastAPI):
    def __init__(self, engine):
        super().__init__(openapi_url=None)
        self.engine = engine
        self.add_api_route("/health", self.health)
        self.add_api_route("/generate", self.generate, methods=["POST"], response_model=None)
        self.add_api_route("/stream", self.stream, methods=["POST"], response_model=None)

    def health(self) -> str:
        return "yes"

    async def generate(self, request: Request) -> Response:
        asked = await read(request)
        result = await asyncio.to_thread(self.engine.generate, asked.prompt, None, asked.to_sampling_params())
        answer = GenerateResponse.model_validate({"text": result.text, "metrics": result.metrics.as_dict()})
        return Response(answer.model_dump_json(indent=2, exclude_none=True), media_type="application/json")

    async def stream(self, request: Request) -> Response:
        asked = await read(request)
        pieces = await asyncio.to_thread(self.engine.stream, asked.prompt, None, asked.to_sampling_params())
        return Pieces(iter(pieces))


def create_app(engine, max_pending=8):
    return Server(engine)
