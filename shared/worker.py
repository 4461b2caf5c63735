"""One engine thread between an event loop and an engine: one request at a time, and the loop stays free.

It knows nothing of models, text or HTTP: a call gives a result, an iterator gives items. The life of one job:

    run / open   take a place, or raise `Busy`; the job waits in line            (caller's thread)
    _serve       takes the first job in line, does it, and tells its future      (engine thread)
    _leave       gives the place back, before the caller hears of the end        (whichever thread ends the job)
"""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Busy(Exception):
    """Every place is taken. Nothing was started; later there will be room."""


class Stopped(Exception):
    """The job was stopped before its end: the worker was closed, or the caller has gone."""


class EngineWorker:
    """One thread that does all the engine's work, in the order in which it was asked for.

    The thread starts with the first job and never enters the engine for two jobs at once. Requests may come from
    several event loops. max_pending: how many jobs may wait or run, at least 1 (`ValueError`).
    """

    def __init__(self, max_pending: int = 8) -> None:
        if max_pending < 1:
            raise ValueError(f"max_pending must be at least 1, not {max_pending}")
        self._max_pending = max_pending
        self._state = threading.Condition()  # guards all below
        self._places: set[_Job] = set()  # waiting or running
        self._waiting: deque[_Job] = deque()
        self._running: _Job | None = None
        self._thread: threading.Thread | None = None
        self._closing = False

    async def run(self, call: Callable[[], T]) -> T:
        """The result of `call()`, made on the engine thread; an error of the call is raised here.

        A caller that is cancelled while its job waits takes it out of the line; a call that runs is run to its end.
        Raises `Busy` before anything starts, and `Stopped` where the worker is closed first. What cannot be called is
        a `TypeError` at once.
        """
        _expect_callable(call)
        return await asyncio.wrap_future(self._submit(_Job(call)))

    async def open(self, make_iterator: Callable[[], Iterable[T]]) -> "Stream[T]":
        """The items of `make_iterator()`, as soon as the first of them, or the end, is there.

        The iterator is made, advanced and closed on the engine thread. What it raises before its first item is raised
        here, later errors where the item would have come. Raises `Busy`, `Stopped` and `TypeError` as `run` does.
        """
        _expect_callable(make_iterator)
        loop, arrived = asyncio.get_running_loop(), asyncio.Queue()
        post = partial(loop.call_soon_threadsafe, arrived.put_nowait)
        stop = threading.Event()
        job = self._submit(_Job(partial(_pump, make_iterator, post, stop), stop))
        job.add_done_callback(partial(_post_end, post))
        stream: Stream[T] = Stream(job, arrived)
        try:
            await stream.peek()
        except BaseException:  # an error of the engine, or the caller was cancelled while it waited
            await stream.aclose()
            raise
        return stream

    def close(self) -> None:
        """Stop the running stream between two items, fail what waits with `Stopped`, and let the thread go.

        Does not wait: a running call cannot be stopped, and ends whenever it ends. A later job finds the worker open.
        """
        with self._state:
            self._closing = True
            abandoned = [job for job in self._waiting if job.set_running_or_notify_cancel()]
            self._waiting.clear()
            if self._running is not None:
                self._running.stop.set()
            self._state.notify()
        for job in abandoned:
            job.set_exception(Stopped("the server is shutting down"))

    def _submit(self, job: "_Job") -> "_Job":
        with self._state:
            if len(self._places) >= self._max_pending:
                raise Busy(f"{self._max_pending} requests are pending already")
            if self._thread is None:
                thread = threading.Thread(target=self._serve, name="engine", daemon=True)
                thread.start()
                self._thread = thread
            self._closing = False
            self._places.add(job)
            self._waiting.append(job)
            job.add_done_callback(self._leave)
            self._state.notify()
        return job

    def _leave(self, job: "_Job") -> None:
        with self._state:
            self._places.discard(job)
            with contextlib.suppress(ValueError):  # only a job that was cancelled in line still stands there
                self._waiting.remove(job)

    def _serve(self) -> None:
        """The engine thread."""
        while (job := self._take()) is not None:
            try:
                job.set_result(job.call())
            except BaseException as error:
                job.set_exception(_for_a_loop(error))
            del job  # nothing of a request is kept while the thread waits for the next

    def _take(self) -> "_Job | None":
        """Wait for the next job; None once the worker is closed and nobody waits."""
        with self._state:
            self._running = None
            while self._running is None:
                if not self._waiting and self._closing:
                    self._thread = None
                    return None
                if not self._waiting:
                    self._state.wait()
                elif (job := self._waiting.popleft()).set_running_or_notify_cancel():
                    self._running = job
            return self._running


class Stream(AsyncIterator[T]):
    """What `EngineWorker.open` returns: the items of one iterator. Close it, or the engine goes on to the end.

    The engine never waits for a slow reader: items gather here, as many as an answer has tokens.
    """

    def __init__(self, job: "_Job", arrived: asyncio.Queue) -> None:
        self._job, self._arrived = job, arrived
        self._head: Any = None

    async def peek(self) -> "_Item | _End":
        """Wait for what comes next and leave it in its place; an error of the engine is raised here."""
        if self._head is None:
            self._head = await self._arrived.get()
        if isinstance(self._head, _End) and self._head.error is not None:
            raise self._head.error
        return self._head

    async def __anext__(self) -> T:
        head = await self.peek()
        if isinstance(head, _End):
            raise StopAsyncIteration
        self._head = None
        return head.value

    async def aclose(self) -> None:
        """The reader has gone: the job leaves the line, or stops between two items. Does not wait for the engine."""
        self._head = _End()
        self._job.cancel()
        self._job.stop.set()


class _Job(Future):
    """A call for the engine thread, the future that its caller waits for, and the flag that stops it."""

    def __init__(self, call: Callable[[], Any], stop: threading.Event | None = None) -> None:
        super().__init__()
        self.call = call
        self.stop = stop or threading.Event()


@dataclass(frozen=True)
class _Item:
    value: Any


@dataclass(frozen=True)
class _End:
    error: BaseException | None = None


def _expect_callable(call: object) -> None:
    if not callable(call):
        kind = type(call).__name__
        raise TypeError(f"hand the worker something it can call: a function or a lambda, not its result (a {kind})")


def _pump(make_iterator: Callable[[], Iterable[T]], post: Callable[[Any], object], stop: threading.Event) -> None:
    """Post each item of the iterator, until it ends or is stopped; close it on every way out (engine thread).

    A loop that is closed raises from `post`: a reader that has gone.
    """
    iterator = iter(make_iterator())
    try:
        for item in iterator:
            post(_Item(item))
            if stop.is_set():
                raise Stopped("the answer was stopped before its end")
    finally:
        getattr(iterator, "close", lambda: None)()


def _post_end(post: Callable[[Any], object], job: _Job) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to hear of it
        post(_End(None if job.cancelled() else job.exception()))


def _for_a_loop(error: BaseException) -> Exception:
    """The error itself, or a `RuntimeError` around one that would end a loop, a task or an iteration in its place."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration | StopAsyncIteration | CancelledError):
        return error
    wrapped = RuntimeError(f"the engine raised {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped
