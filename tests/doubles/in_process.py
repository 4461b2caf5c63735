"""Requests to an app in one process, without a socket, each in one hop to the loop in which the app's lifespan runs.

`TestClient` does the same and streams the answer as well, from thread to thread, which takes ten times as long.
"""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.datastructures import Headers

from tests.doubles.live_server import Answer

HEADERS = [(b"host", b"testserver"), (b"accept", b"*/*"), (b"user-agent", b"testclient")]
JSON = (b"content-type", b"application/json")


class InProcess:
    """Asks the app whose lifespan is running. quiet: an error of the app is a 500, as its server would answer."""

    def __init__(self, client: TestClient, quiet: bool) -> None:
        self._client, self._quiet = client, quiet

    def get(self, path: str) -> Answer:
        return self._client.portal.call(self._answer, "GET", path, b"", HEADERS)

    def post(self, path: str, body: object) -> Answer:
        """The body as JSON."""
        return self.post_bytes(path, json.dumps(body, ensure_ascii=False, allow_nan=False).encode())

    def post_bytes(self, path: str, content: bytes) -> Answer:
        headers = [*HEADERS, JSON, (b"content-length", str(len(content)).encode())]
        return self._client.portal.call(self._answer, "POST", path, content, headers)

    async def _answer(self, method: str, path: str, content: bytes, headers: list[tuple[bytes, bytes]]) -> Answer:
        """Asks as ASGI has it, in the app's own loop."""
        answer, is_over, asked = Answer(), asyncio.Event(), [{"type": "http.request", "body": content}]
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
            "root_path": "", "scheme": "http", "query_string": b"", "headers": headers, "client": ("testclient", 50000),
            "server": ("testserver", 80), "extensions": {}, "state": dict(self._client.app_state),
        }  # fmt: skip

        async def receive() -> dict[str, Any]:
            if asked:
                return asked.pop()
            await is_over.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], Headers(raw=message.get("headers", []))
            elif message["type"] == "http.response.body":
                answer.body += message.get("body", b"")
                if not message.get("more_body", False):
                    is_over.set()

        with contextlib.suppress(*[Exception] if self._quiet else []):
            await self._client.app(scope, receive, send)
        answer.status = answer.status or 500
        return answer


@contextmanager
def in_process(app: FastAPI, quiet: bool = False) -> Iterator[InProcess]:
    """A client of the app, while its lifespan runs."""
    with TestClient(app) as client:
        yield InProcess(client, quiet)
