"""`serve`: a solution's engine behind its own step 8, on 127.0.0.1. Whatever stands in the way is told in one line.

torch and the solution are imported last, after everything that can be said sooner.
"""

import os
import socket

from kata.engines import NOT_SOLVED, WRONG_USE, CannotRun, chosen_sources, load_model, load_step, make_engine, told
from kata.look import Look, say
from kata.solution import Solution

HOST = "127.0.0.1"
QUESTION = "What is a KV cache?"
STEPS_OF_SERVER = (7, 8)


def serve(engine: str, model: str, impl: str, port: int, look: Look) -> int:
    """Serve until Ctrl-C; the exit status."""
    try:
        sources = chosen_sources([engine], impl, look, also=STEPS_OF_SERVER)
        listener = _bind(port, look)
        with listener:
            return _run(_app(Solution(sources.files), engine, model), listener, look)
    except CannotRun as error:
        say(look.paragraph(str(error)))
        return error.status


def _bind(port: int, look: Look) -> socket.socket:
    """The server's socket, taken before a model is loaded for nothing."""
    # NOTE: TCP is said outright, for asyncio looks at it: only then is what is written sent at once, and not kept back
    # until the client's system has acknowledged what came before (Nagle), which would hold each first token for 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or error
        raise CannotRun(f"port {port} cannot be had ({why}): choose another, PORT=8001", WRONG_USE) from error
    return listener


def _app(solution: Solution, engine: str, model: str):
    """The solution's application around the engine; the cached one is step 8's own."""
    runtime = load_model(model)
    server = load_step(solution, 8)
    try:
        if engine == "cached":
            return server.create_app(server.CachedEngine(runtime.model, runtime.tokenizer))
        return server.create_app(make_engine(engine, solution, runtime))
    except CannotRun:
        raise
    except Exception as error:
        raise CannotRun(told("step 8's application cannot be made", error, solution), NOT_SOLVED) from error


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
