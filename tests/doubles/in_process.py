"""Requests to an app in one process, each in one hop to the loop in which the app's lifespan runs.

`TestClient` does the same and streams the answer as well, from thread to thread, which takes ten times as long.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.doubles.asgi import Answer, Asking

HEADERS = [(b"host", b"testserver"), (b"accept", b"*/*"), (b"user-agent", b"testclient")]
JSON = (b"content-type", b"application/json")


class InProcess:
    """Asks the app whose lifespan is running. quiet: an error of the app is a 500, as its server would answer."""

    def __init__(self, client: TestClient, quiet: bool) -> None:
        self._client, self._quiet = client, quiet

    def get(self, path: str) -> Answer:
        return self._answer(Asking("GET", path, headers=HEADERS))

    def post(self, path: str, body: object) -> Answer:
        """The body as JSON."""
        return self.post_bytes(path, json.dumps(body, ensure_ascii=False, allow_nan=False).encode())

    def post_bytes(self, path: str, content: bytes) -> Answer:
        headers = [*HEADERS, JSON, (b"content-length", str(len(content)).encode())]
        return self._answer(Asking("POST", path, headers=headers, content=content))

    def _answer(self, asking: Asking) -> Answer:
        return self._client.portal.call(asking.of, self._client.app, self._client.app_state, self._quiet)


@contextmanager
def in_process(app: FastAPI, quiet: bool = False) -> Iterator[InProcess]:
    """A client of the app, while its lifespan runs."""
    with TestClient(app) as client:
        yield InProcess(client, quiet)
