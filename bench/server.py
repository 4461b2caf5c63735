"""`python -m bench.server MODEL MAX_PENDING`: the reference's server, with somebody at the door who keeps a list.

A request gets its number as its body has arrived: then it is accepted, and stands in the worker's line. The list of
numbers, in the order in which their answers ended, is at `GET /finished`; whoever reads it takes it away.
"""

import json
import socket
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn

from kata.solution import Solution
from kata.steps import REFERENCE
from shared.runtime import load_runtime

HOST = "127.0.0.1"
FINISHED = "/finished"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Doorkeeper:
    """An ASGI application around another one."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self.accepted = 0
        self.finished: list[int] = []

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == FINISHED:
            await self._tell(send)
        elif scope["type"] == "http" and scope["method"] == "POST":
            await self._let_through(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _let_through(self, scope: Message, receive: Receive, send: Send) -> None:
        number = None

        async def receive_noted() -> Message:
            nonlocal number
            message = await receive()
            if number is None and message["type"] == "http.request" and not message.get("more_body"):
                number, self.accepted = self.accepted, self.accepted + 1
            return message

        async def send_noted(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                self.finished.append(number)

        await self.app(scope, receive_noted, send_noted)

    async def _tell(self, send: Send) -> None:
        body, self.finished = json.dumps(self.finished).encode(), []
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def main(model: str, max_pending: int) -> None:
    runtime = load_runtime(model, device="cpu", dtype="float32")
    step = Solution.in_folder(REFERENCE).load(8)
    app = step.create_app(step.CachedEngine(runtime.model, runtime.tokenizer), max_pending)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:  # as `kata serve` has it
        listener.bind((HOST, 0))
        listener.listen()
        print(f"listening on http://{HOST}:{listener.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(Doorkeeper(app), log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
