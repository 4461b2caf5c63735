"""Stand-ins for the steps under the server: it is checked without a model, and without importing torch."""

from collections.abc import Iterator
from copy import deepcopy
from types import ModuleType
from typing import Any

from kata.failure import CheckFailure
from kata.steps import get_step
from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult
from tests.doubles.engines import Asked

GENERATION = Generation(" Paris.\n", 9, [5, 0], "stop", ttft_s=0.25, latency_s=0.5, used_cache=True)
RESULT = GenerateResult(" Paris.\n", [5, 0], ServingMetrics(4.0, 9, 2, 250.0, 250.0, 500.0, True, "stop"))
STREAMED = (" Pa", "ri", "s.", "\n")


class EngineSpies:
    """Steps 4, 5 and 6 as the server sees them: `generate_cached`, `summarize`, `generate_stream`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.handed: list[tuple[object, object]] = []  # model and tokenizer of each of these calls
        self.summarized: list[object] = []
        self.streamed = 0  # pieces taken from the stream
        self.error: Exception | None = None  # what the next generation raises; the one after it goes well
        self.steps = {3: _Part(3), 4: _Part(4), 5: _Part(5), 6: _Part(6)}
        self.steps[4].generate_cached = self._generate_cached
        self.steps[5].summarize = self._summarize
        self.steps[6].generate_stream = self._generate_stream

    def forget(self) -> None:
        """Forget the calls so far."""
        self.asked, self.handed, self.summarized = [], [], []

    def _generate_cached(
        self, model: Any, tokenizer: Any, prompt: Any, max_new_tokens: Any = None, params: Any = None
    ) -> Generation:
        self._note("generate_cached", model, tokenizer, prompt, max_new_tokens, params)
        return GENERATION

    def _summarize(self, generation: Any) -> GenerateResult:
        self.summarized.append(generation)
        return deepcopy(RESULT)

    def _generate_stream(
        self, model: Any, tokenizer: Any, prompt: Any, max_new_tokens: Any = None, params: Any = None
    ) -> Iterator[str]:
        self._note("generate_stream", model, tokenizer, prompt, max_new_tokens, params)
        for piece in STREAMED:
            self.streamed += 1
            yield piece

    def _note(self, name: str, model: Any, tokenizer: Any, *asked: Any) -> None:
        self.handed.append((model, tokenizer))
        self.asked.append(Asked.of(name, *asked))
        error, self.error = self.error, None
        if error is not None:
            raise error


class Passive:
    """Stands for a model or a tokenizer that an engine only hands on; it may be looked at, and moved about."""

    device = "cpu"

    def eval(self) -> "Passive":
        return self

    def to(self, *_: Any, **__: Any) -> "Passive":
        return self


class _Part(ModuleType):
    """A step of which the server needs one function; any other name may be imported, not called."""

    def __init__(self, number: int) -> None:
        super().__init__(get_step(number).module)
        self.number = number

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def not_needed(*_: Any, **__: Any) -> None:
            raise CheckFailure(
                call=f"{name}(…) of step {self.number}, out of step 8",
                got="a call",
                wanted="generate_cached, summarize and generate_stream, and none else",
                why="the engine of step 8 is put together from these three: generate is summarize(generate_cached(…)), "
                "stream is generate_stream(…).",
            )

        return not_needed
