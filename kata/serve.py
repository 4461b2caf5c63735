"""`serve`: a solution's engine behind its own step 8, on 127.0.0.1. Whatever stands in the way is told in one line.

torch and the solution are imported last, after everything that can be said sooner.
"""

import os
import socket
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from kata import progress
from kata.look import Look, name_of, say
from kata.path import State, survey
from kata.solution import Solution
from kata.source import CannotLoad, read
from kata.steps import EXERCISES, REFERENCE, STEPS

if TYPE_CHECKING:
    from shared.engine import Engine
    from shared.result import GenerateResult
    from shared.runtime import Runtime
    from shared.sampling_params import SamplingParams

HOST = "127.0.0.1"
NEEDS = {"cached": (1, 2, 4, 5, 6, 7, 8), "uncached": (1, 2, 3, 5, 7, 8), "huggingface": (1, 7, 8)}
QUESTION = "What is the capital of France?"
NOT_SOLVED, WRONG_USE, CANNOT_LOAD = 1, 2, 3


class NotServed(Exception):
    """Why there is no server, in one line, and the exit status."""

    def __init__(self, why: str, status: int) -> None:
        super().__init__(why)
        self.status = status


class UncachedEngine:
    """The `Engine` that steps 1 to 3 and 5 make, for comparison: no cache, so nothing to stream before the end."""

    def __init__(self, runtime: "Runtime", generate_uncached: Callable, summarize: Callable) -> None:
        self.runtime, self.generate_uncached, self.summarize = runtime, generate_uncached, summarize

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: "SamplingParams | None" = None
    ) -> "GenerateResult":
        model, tokenizer = self.runtime.model, self.runtime.tokenizer
        return self.summarize(self.generate_uncached(model, tokenizer, prompt, max_new_tokens, params))

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: "SamplingParams | None" = None
    ) -> Iterator[str]:
        if text := self.generate(prompt, max_new_tokens, params).text:
            yield text


def serve(engine: str, model: str, impl: str, port: int, look: Look) -> int:
    """Serve until Ctrl-C; the exit status."""
    try:
        if engine not in NEEDS:
            raise NotServed(f"there is no engine {engine!r}: choose {', '.join(NEEDS)}", WRONG_USE)
        sources = _sources(engine, impl, look)
        listener = _bind(port, look)
        with listener:
            return _run(_app(Solution(sources), engine, model, look), listener, look)
    except NotServed as error:
        say(look.paragraph(str(error)))
        return error.status


def _sources(engine: str, impl: str, look: Look) -> dict[int, Path]:
    """The file of each step; an open gap in a step that the engine needs is said before anything is loaded."""
    if impl != "exercises":
        folder = REFERENCE if impl == "reference" else Path(impl).resolve()
        if not folder.is_dir():
            raise NotServed(f"IMPL={impl}: there is no such folder (nor is it exercises or reference)", WRONG_USE)
        sources = {step.number: step.file_in(folder) for step in STEPS}
    else:
        lent = {place.step.number for place in survey(progress.load()[0]) if place.state is State.REFERENCE}
        sources = {step.number: step.file_in(REFERENCE if step.number in lent else EXERCISES) for step in STEPS}
        if used := sorted(lent & {*NEEDS[engine]}):
            say(look.paragraph(f"the reference stands in for what you jumped over: {', '.join(map(str, used))}"))
    for number in NEEDS[engine]:
        _look_at(number, sources[number], engine, look)
    return sources


def _look_at(number: int, file: Path, engine: str, look: Look) -> None:
    try:
        gaps = read(file).gaps(number)
    except CannotLoad as error:
        at = f", line {error.line}" if error.line else ""
        raise NotServed(f"step {number} cannot be loaded: {name_of(file)}{at}: {error.what}", CANNOT_LOAD) from error
    if gaps:
        where = f"{name_of(file)}, line {gaps[0].line}"
        raise NotServed(
            f"the engine {engine} needs step {number}, which is not written yet: {where}. "
            f"{look.verb('check', number)} says what is missing; IMPL=reference serves the reference.",
            NOT_SOLVED,
        )


def _bind(port: int, look: Look) -> socket.socket:
    """The server's socket, taken before a model is loaded for nothing."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or error
        raise NotServed(f"port {port} cannot be had ({why}): choose another, PORT=8001", WRONG_USE) from error
    return listener


def _app(solution: Solution, engine: str, model: str, look: Look):
    """The solution's application around the engine."""
    say(f"loading the model {model} …")
    from shared.runtime import RuntimeUnavailable, load_runtime

    try:
        runtime = load_runtime(model)
    except RuntimeUnavailable as error:
        raise NotServed(str(error), WRONG_USE) from error
    load = _loader(solution)
    try:
        return load(8).create_app(_engine(engine, load, runtime))
    except NotServed:
        raise
    except Exception as error:
        raise NotServed(_told("step 8's application cannot be made", error, solution), NOT_SOLVED) from error


def _loader(solution: Solution) -> Callable[[int], ModuleType]:
    def load(number: int) -> ModuleType:
        try:
            return solution.load(number)
        except (Exception, SystemExit) as error:
            raise NotServed(_told(f"step {number} cannot be loaded", error, solution), CANNOT_LOAD) from error

    return load


def _engine(name: str, load: Callable[[int], ModuleType], runtime: "Runtime") -> "Engine":
    if name == "cached":
        return load(8).CachedEngine(runtime.model, runtime.tokenizer)
    if name == "uncached":
        return UncachedEngine(runtime, load(3).generate_uncached, load(5).summarize)
    from shared.engine import HuggingFaceEngine

    return HuggingFaceEngine(runtime.model, runtime.tokenizer, load(1).prepare_inputs)


def _told(what: str, error: BaseException, solution: Solution) -> str:
    files = {str(file) for file in solution.sources.values()}
    places = [
        f" ({name_of(frame.f_code.co_filename)}, line {line})"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename in files
    ]
    return f"{what}: {type(error).__name__}: {error}{places[-1] if places else ''}"


def _run(app, listener: socket.socket, look: Look) -> int:
    """Serve on the socket; the address is said once it listens."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                say(_welcome(listener.getsockname()[1], look))

    server = Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3))
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        say("\nstopped")
    return 0 if server.started else NOT_SOLVED


def _welcome(port: int, look: Look) -> list[str]:
    address = f"http://{HOST}:{port}"
    body = f'{{"prompt": "{QUESTION}", "max_new_tokens": 64}}'
    quoted = '"' + body.replace('"', '\\"') + '"' if os.name == "nt" else f"'{body}'"
    curl = "curl.exe" if os.name == "nt" else "curl"
    header = '-H "Content-Type: application/json"'
    return [
        f"listening on {look.strong(address)}   (Ctrl-C stops it)",
        "",
        f"  {curl} {address}/health",
        f"  {curl} {address}/generate {header} -d {quoted}",
        f"  {curl} -N {address}/stream {header} -d {quoted}",
        "",
    ]
