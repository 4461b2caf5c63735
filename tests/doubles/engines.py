"""Engines whose every answer a check dictates, and which record what they were asked. No model, no torch."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from shared.metrics import RequestMetrics, ServingMetrics
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams

PIECES = ("The capital", " of France", " is Paris.")
METRICS = ServingMetrics(31.2, 20, 5, 40.5, 30.25, latency_ms=161.53, used_cache=True, finish_reason="stop")
LONGEST_SHOWN = 120  # characters of a prompt in a report
TURN_S = 0.02  # what is waited for is looked at so often
LONGEST_HOLD_S = 30.0  # so that no thread of a broken server is held for ever


@dataclass(frozen=True)
class Asked:
    """One call of an engine. `limit` is the argument `max_new_tokens`, or else what the params say."""

    method: str
    prompt: object
    limit: object
    temperature: object = 0.0
    top_k: object = -1
    top_p: object = 1.0
    ignore_eos: object = False

    def __str__(self) -> str:
        fields = {name: repr(value) for name, value in vars(self).items() if name != "method"}
        if len(fields["prompt"]) > LONGEST_SHOWN:
            fields["prompt"] = f"{fields['prompt'][:20]}…{fields['prompt'][-20:]}, {len(str(self.prompt))} long"
        return f"{self.method}({', '.join(f'{name}={value}' for name, value in fields.items())})"

    @classmethod
    def of(cls, method: str, prompt: object, max_new_tokens: object, params: object) -> "Asked":
        settings = SamplingParams() if params is None else params
        limit = getattr(settings, "max_tokens", None) if max_new_tokens is None else max_new_tokens
        chosen = [getattr(settings, name, None) for name in ("temperature", "top_k", "top_p", "ignore_eos")]
        return cls(method, prompt, limit, *chosen)


class ScriptedEngine:
    """An `Engine` that answers every prompt with the same pieces, or with what `pieces` makes of the prompt.

    `work(n)` is called where the engine makes piece n, in `generate` too: it may wait, or raise. `at_call` is called
    when `stream` is, before the first `next`.
    """

    def __init__(
        self,
        pieces: Sequence[str] | Callable[[str], Sequence[str]] = PIECES,
        metrics: RequestMetrics = METRICS,
        work: Callable[[int], object] = lambda number: None,
        at_call: Callable[[], object] = lambda: None,
    ) -> None:
        self.pieces, self.metrics, self.work, self.at_call = pieces, metrics, work, at_call
        self.asked: list[Asked] = []
        self.answered = 0  # generations that came to their end
        self.closed = threading.Event()  # a stream ended, whichever way
        self.overlapped = threading.Event()  # two threads were in here at once
        self.was_called_on_a_loop = False  # `stream` was, by the thread of an event loop
        self._inside = threading.Lock()

    def answer(self, prompt: str) -> Sequence[str]:
        return self.pieces(prompt) if callable(self.pieces) else self.pieces

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> GenerateResult:
        self.asked.append(Asked.of("generate", prompt, max_new_tokens, params))
        with self._alone():
            pieces = self.answer(prompt)
            for number in range(len(pieces)):
                self.work(number)
        self.answered += 1
        return GenerateResult("".join(pieces), list(range(len(pieces))), self.metrics)

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> Iterator[str]:
        self.asked.append(Asked.of("stream", prompt, max_new_tokens, params))
        with contextlib.suppress(RuntimeError):
            self.was_called_on_a_loop |= asyncio.get_running_loop() is not None
        with self._alone():
            self.at_call()
        return self._stream(self.answer(prompt))

    def _stream(self, pieces: Sequence[str]) -> Iterator[str]:
        try:
            for number, piece in enumerate(pieces):
                with self._alone():
                    self.work(number)
                yield piece
        finally:
            self.answered += 1
            self.closed.set()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._inside.acquire(blocking=False):
            self.overlapped.set()
            yield
            return
        try:
            yield
        finally:
            self._inside.release()


class Gate:
    """Holds the engine where it is made to pass, from piece `first` on, until the check opens it or ends."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.reached = threading.Event()
        self.is_open = threading.Event()

    def __call__(self, number: int = 0) -> None:
        if number >= self.first:
            self.reached.set()
            self.is_open.wait(LONGEST_HOLD_S)

    def open(self) -> None:
        self.is_open.set()

    def __enter__(self) -> "Gate":
        return self

    def __exit__(self, *_: object) -> None:
        self.open()


class Turnstile:
    """Lets the engine make one piece at a time, each when the check says so."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._begun = self._allowed = 0
        self._open = False

    def __call__(self, number: int = 0) -> None:
        with self._changed:
            self._begun += 1
            mine = self._begun
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._open or self._allowed >= mine, LONGEST_HOLD_S)

    def let(self, pieces: int = 1) -> None:
        with self._changed:
            self._allowed += pieces
            self._changed.notify_all()

    def begun(self, pieces: int, timeout_s: float) -> bool:
        """Whether the engine has begun that many pieces, now or in that time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._begun >= pieces, timeout_s)

    def begun_unless(self, ended: threading.Event, pieces: int, timeout_s: float) -> bool:
        """As `begun`, and False as soon as the event is there; longer where this process gets few turns."""
        for _ in range(round(timeout_s / TURN_S)):
            if ended.is_set() or self.begun(pieces, TURN_S):
                break
        return self.begun(pieces, 0)

    def open(self) -> None:
        with self._changed:
            self._open = True
            self._changed.notify_all()

    def __enter__(self) -> "Turnstile":
        return self

    def __exit__(self, *_: object) -> None:
        self.open()


def raising(error: Exception, first: int = 0) -> Callable[..., None]:
    """Work that raises the error, from piece `first` on."""

    def work(number: int = 0) -> None:
        if number >= first:
            raise error

    return work
