"""A `TestClient` for hundreds of small requests: each is one hop to the app's loop, and the whole answer one back."""

from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette import testclient

from tests.doubles.asgi import Asking

httpx = testclient.httpx  # or the httpx2 of newer versions


def quick_client(app: FastAPI) -> TestClient:
    """Its own way of asking streams the answer from thread to thread, which takes most of a duel's time."""
    client = TestClient(app)
    client._transport = _InOneHop(client)
    return client


class _InOneHop:
    """Stands in for the transport of a `TestClient`, and leaves to it what is asked outside of a `with`."""

    def __init__(self, client: TestClient) -> None:
        self._client, self._usual = client, client._transport

    def handle_request(self, request: Any) -> Any:
        if self._client.portal is None or request.url.scheme != "http":
            return self._usual.handle_request(request)
        headers = [(name.lower().encode(), value.encode()) for name, value in request.headers.multi_items()]
        asking = Asking(request.method, request.url.path, request.url.query, headers, request.read())
        answer = self._client.portal.call(asking.of, self._client.app, self._client.app_state)
        body = httpx.ByteStream(answer.body)
        return httpx.Response(answer.status, headers=answer.headers.raw, stream=body, request=request)

    def close(self) -> None:
        self._usual.close()
