"""The reference's server on the tiny model, as a process of its own: `python -m bench.server` prints its port."""

import socket

import uvicorn

from kata.solution import Solution
from kata.steps import REFERENCE
from shared.runtime import load_runtime


def main() -> None:
    runtime = load_runtime("tiny", device="cpu")
    server = Solution.in_folder(REFERENCE).load(8)
    app = server.create_app(server.CachedEngine(runtime.model, runtime.tokenizer))
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()
