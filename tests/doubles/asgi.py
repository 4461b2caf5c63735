"""An app asked as ASGI has it, without a socket and without a thread: what a request says, and what comes back."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp


@dataclass
class Answer:
    """What came back. `broken` says how the connection ended, where that was not well; status 0 is no answer at all."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    broken: str = ""

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def __str__(self) -> str:
        shown = f"{self.status} {self.text[:300]}{'…' if len(self.text) > 300 else ''}"
        return ", then ".join(part for part in (shown if self.status else "", self.broken) if part)


@dataclass(frozen=True)
class Asking:
    """A request as `TestClient` makes it. headers: their names in small letters."""

    method: str
    path: str
    query: bytes = b""
    headers: Sequence[tuple[bytes, bytes]] = ()
    content: bytes = b""

    async def of(self, app: ASGIApp, state: Mapping[str, Any], quiet: bool = False) -> Answer:
        """The whole answer, once the app is done. quiet: an error of the app is a 500, as its server would answer."""
        answer, is_over, asked = Answer(), asyncio.Event(), [{"type": "http.request", "body": self.content}]
        scope = {
            "type": "http", "http_version": "1.1", "method": self.method, "path": self.path,
            "raw_path": self.path.encode(), "root_path": "", "scheme": "http", "query_string": self.query,
            "headers": list(self.headers), "client": ("testclient", 50000), "server": ("testserver", 80),
            "extensions": {}, "state": dict(state),
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

        with contextlib.suppress(*[Exception] if quiet else []):
            await app(scope, receive, send)
        answer.status = answer.status or 500
        return answer
