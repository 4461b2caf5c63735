"""What a request that ends in an exception says: the exception in a line, and the slip that it comes from."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi.exceptions import ResponseValidationError
from pydantic import ValidationError

from kata.failure import CheckFailure

_NO_PART_OF_AN_ENGINE = (
    r"'ScriptedEngine' object has no attribute",
    "create_app takes any `Engine`, and an Engine has only `generate` and `stream`: ask nothing else of it.",
)
_SLIPS = (  # what Python, pydantic or FastAPI say, and what is behind it
    (
        r"hand the worker something it can call",
        "the engine is asked before the worker has anything to do: `lambda: {engine}(…)` is a call for later, "
        "`{engine}(…)` is its result.",
    ),
    (
        r"'coroutine' object",
        "without `await`, `{worker}(…)` is only the promise of what you want: await it, `await {worker}(…)`.",
    ),
    (
        r"RLock|[Ss]erializ",
        "FastAPI tries to make JSON of what the endpoint returns, and a stream of pieces is none: return a TextStream "
        "of it, `TextStream(pieces)`.",
    ),
    (
        r"metrics: .*valid dictionary",
        "the engine's metrics are an object, the response takes their figures: hand it `result.metrics.as_dict()`.",
    ),
    (
        r"^ValidationError: GenerateRequest, ",
        "your endpoint makes the GenerateRequest itself, and what the schema refuses is an exception there: declare "
        "the body as a GenerateRequest, and FastAPI reads it and answers 422.",
    ),
    (
        r"no attribute '(close|send|throw)'",
        "engine.stream may give any iterator, and not every one is a generator: take its pieces with `for`, and leave "
        "the closing to the worker.",
    ),
    (
        r"EngineWorker\.(run|open)\(\).*(unexpected keyword argument|positional argument)",
        "`{worker}` takes one thing, which it calls without arguments: `{worker}(lambda: {engine}(…))`, or "
        "functools.partial.",
    ),
    _NO_PART_OF_AN_ENGINE,
    (
        r"^StopAsyncIteration|raised Stop(Async)?Iteration",
        "an answer may have no piece at all, and `anext` or `next` then finds nothing: hand the stream on as it is.",
    ),
    (
        r"unexpected keyword argument|positional argument",
        "the engine is called as `{engine}(prompt, max_new_tokens, params)`.",
    ),
)
_OTHERWISE = "the endpoint itself raised this; the engine did what it was asked."


@contextmanager
def told(call: str) -> Iterator[None]:
    """What the server's code raises inside is a `CheckFailure` of this call; a stub's TODO goes through as it is."""
    try:
        yield
    except Exception as raised:
        error = _alone(raised)
        if isinstance(error, CheckFailure) or (isinstance(error, NotImplementedError) and "TODO" in str(error)):
            raise
        got = first_line(error)
        why = next((why for pattern, why in _SLIPS if re.search(pattern, got)), _OTHERWISE)
        names = {"engine": "engine.stream", "worker": "worker.open"}
        if "/stream" not in call:
            names = {"engine": "engine.generate", "worker": "worker.run"}
        raise CheckFailure(call=call, got=got, wanted="an answer, no exception", why=why.format(**names)) from error


@contextmanager
def told_what_an_engine_has(call: str) -> Iterator[None]:
    """What is asked of an engine that no Engine has is a `CheckFailure` of this call; other errors go through."""
    pattern, why = _NO_PART_OF_AN_ENGINE
    try:
        yield
    except AttributeError as error:
        got = first_line(error)
        if not re.search(pattern, got):
            raise
        raise CheckFailure(call=call, got=got, wanted="an app, and nothing asked of the engine", why=why) from error


def first_line(error: Exception) -> str:
    """Type and first line; of pydantic's errors the first problem, without its manual."""
    kind, text = type(error).__name__, (str(error).splitlines() or [""])[0]
    if isinstance(error, ValidationError | ResponseValidationError):
        subject, problem = getattr(error, "title", "the response"), error.errors()[0]
        text = f"{subject}, {'.'.join(map(str, problem['loc']))}: {problem['msg']}"
    return f"{kind}: {text}"[:200]


def _alone(error: Exception) -> Exception:
    """The error itself, out of the groups that a task group wraps around it."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
