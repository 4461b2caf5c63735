"""A learner's app on a real socket: uvicorn in a thread, on a port of its own, and plain clients."""

import asyncio
import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from tests.doubles.asgi import Answer
from tests.doubles.engines import TURN_S

PATIENCE_S = 5.0  # for what takes milliseconds on an idle machine
DEAF_AFTER_S = 3.0  # so long does no loop take for a turn, unless something holds it


def comes(event: threading.Event, seconds: float) -> bool:
    """Whether the event comes within so many seconds; where this process gets few turns, it is waited for longer."""
    return any(event.wait(TURN_S) for _ in range(round(seconds / TURN_S)))


class Reader:
    """A client that reads an answer as it comes, and may leave before its end."""

    def __init__(self, port: int, method: str, path: str, body: object) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        data = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, data, {"content-type": "application/json"})
        self.port = self._connection.sock.getsockname()[1]
        self._socket = self._connection.sock
        self._response: http.client.HTTPResponse | None = None

    def read_first(self, size: int) -> Answer:
        """The first `size` bytes, or a few more, as soon as they are there."""

        def read(response: http.client.HTTPResponse, answer: Answer) -> None:
            while len(answer.body) < size and (more := response.read1()):
                answer.body += more

        return self._read(read)

    def read_rest(self) -> Answer:
        def read(response: http.client.HTTPResponse, answer: Answer) -> None:
            answer.body = response.read()

        return self._read(read)

    def _read(self, how: Callable[[http.client.HTTPResponse, Answer], None]) -> Answer:
        answer = Answer()
        try:
            self._response = self._response or self._connection.getresponse()
            answer.status, answer.headers = self._response.status, self._response.headers
            how(self._response, answer)
        except TimeoutError:
            answer.broken = f"{'nothing more' if answer.status else 'no answer'} within {PATIENCE_S:g} s"
        except http.client.IncompleteRead as error:
            answer.body, answer.broken = error.partial, "the connection broke off"
        except (OSError, http.client.HTTPException):
            answer.broken = "the connection broke off"
        return answer

    def leave(self) -> None:
        """Close the connection, whatever is still to come."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if self._response is not None:
            self._response.close()
        self._connection.close()


class LiveServer:
    """The app behind uvicorn, lifespan included, for the length of a `with`."""

    def __init__(self, app: FastAPI) -> None:
        self._ended: set[int] = set()  # the clients' ports whose connections uvicorn has seen end
        self._one_ended = threading.Condition()
        self._server = uvicorn.Server(
            uvicorn.Config(
                app, http=self._protocol(), loop="asyncio", log_level="critical", timeout_graceful_shutdown=1
            )
        )
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # said: no Nagle's delay
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen(128)
        self._port = self._socket.getsockname()[1]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._runs = threading.Event()
        self._is_deaf = False
        self._clients = ThreadPoolExecutor(64)

    def _protocol(self) -> type[H11Protocol]:
        ended, one_ended = self._ended, self._one_ended

        class Protocol(H11Protocol):
            def connection_lost(self, error: Exception | None) -> None:
                super().connection_lost(error)
                with one_ended:
                    ended.add(self.client[1])
                    one_ended.notify_all()

        return Protocol

    def __enter__(self) -> "LiveServer":
        threading.Thread(target=self._serve, name="uvicorn", daemon=True).start()
        self._runs.wait(PATIENCE_S)
        return self

    def _serve(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            self._runs.set()
            await self._server.serve(sockets=[self._socket])

        with contextlib.suppress(Exception, SystemExit):
            asyncio.run(serve())
        self._socket.close()  # clients of an app that did not start are told so

    def __exit__(self, *_: object) -> None:
        """Tell the server to end. It does so by itself; nobody waits for it."""
        self._server.should_exit = True
        self._clients.shutdown(wait=False)

    def open(self, path: str, body: object) -> Reader:
        """A client that has asked and not read yet."""
        return Reader(self._port, "POST", path, body)

    def get(self, path: str) -> Answer:
        return self._ask("GET", path, None)

    def post(self, path: str, body: object) -> Answer:
        return self._ask("POST", path, body)

    def begin(self, path: str, body: object) -> "Future[Answer]":
        """`post` in a thread of its own."""
        return self._clients.submit(self.post, path, body)

    def _ask(self, method: str, path: str, body: object) -> Answer:
        try:
            reader = Reader(self._port, method, path, body)
        except OSError:
            return Answer(broken="the server does not run")
        answer = reader.read_rest()
        reader.leave()
        return answer

    def first(self, answers: "Sequence[Future[Answer]]", count: int) -> list[Answer]:
        """The first answers that are there, so many of them, or fewer when patience ends."""
        there: list[Answer] = []
        with contextlib.suppress(TimeoutError):
            for future in as_completed(answers, timeout=PATIENCE_S - 1):  # the clients themselves give up after that
                there.append(future.result())
                if len(there) == count:
                    break
        return there

    def see_off(self, reader: Reader) -> None:
        """The client leaves; wait until uvicorn has seen it, and the app has had its turn after that."""
        reader.leave()
        self.settle()
        with self._one_ended:
            self._one_ended.wait_for(lambda: self._is_deaf or reader.port in self._ended, PATIENCE_S)
        self.settle()

    def settle(self, requests: int = 0, patience_s: float = DEAF_AFTER_S) -> None:
        """Wait until so many requests are being served, and until what is ready on the loop has had its turn.

        An app that holds the loop itself is waited for once, and not for long.
        """
        if self._is_deaf:
            return

        async def turns() -> None:
            while len(self._server.server_state.tasks) < requests:
                await asyncio.sleep(0.01)
            for _ in range(50):
                await asyncio.sleep(0)

        had_them = threading.Event()
        waiting = asyncio.run_coroutine_threadsafe(turns(), self._loop)
        waiting.add_done_callback(lambda _: had_them.set())
        if not comes(had_them, patience_s):
            self._is_deaf = not requests
            waiting.cancel()

    def on_the_loop(self, function: Callable[[], object]) -> None:
        """Call the function on the loop, which does nothing else meanwhile. Nobody waits for it."""
        self._loop.call_soon_threadsafe(function)
