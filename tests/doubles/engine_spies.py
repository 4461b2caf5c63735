"""Stand-ins for the steps under the server: it is checked without a model, and without importing torch."""

import random
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cached_property
from types import ModuleType
from typing import Any

from kata.failure import CheckFailure
from kata.steps import get_step
from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult
from tests.doubles.asides import A_MODEL, A_MODULE, A_TOKENIZER, passing_for
from tests.doubles.engines import Asked

STREAMED = (" Pa", "ri", "s.\r\n", "\n\n", "ha", "ha", "ha", "ha", "e\u0301", "\ufffd", "<|im_end|>", " \x00", "\n")
GENERATION = Generation("".join(STREAMED), 9, [5, 0], "stop", ttft_s=0.25, latency_s=0.5, used_cache=True)
RESULT = GenerateResult("".join(STREAMED), [5, 0], ServingMetrics(4.0, 9, 2, 250.0, 250.0, 500.0, True, "stop"))
EMPTY = Generation("", 9, [], "length", ttft_s=None, latency_s=0.5, used_cache=True)
EMPTY_RESULT = GenerateResult("", [], ServingMetrics(0.0, 9, 0, latency_ms=500.0, used_cache=True))
PUT_TOGETHER = "the engine of step 8 is put together from these three: generate is summarize(generate_cached(…)), "
PUT_TOGETHER += "stream is generate_stream(…)."
STEP_FUNCTIONS = {"generate": "generate_cached", "stream": "generate_stream"}  # what each method is made of
MakeEngine = Callable[..., Any]  # CachedEngine, or a function in its place


class EngineSpies:
    """Steps 4, 5 and 6 as the server sees them: `generate_cached`, `summarize`, `generate_stream`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.handed: list[tuple[object, object]] = []  # model and tokenizer of each of these calls
        self.summarized: list[object] = []
        self.generation, self.result, self.pieces = GENERATION, RESULT, STREAMED  # what they give
        self.streamed = 0  # pieces taken from the stream
        self.chance: tuple[object, ...] = ()  # the state of the random generators, met by the last generation
        self.drawn: list[tuple[float, ...]] = []  # what each generation drew from them
        self.error: Exception | None = None  # what the next generation raises; the one after it goes well
        self.steps = {3: _Part(3), 4: _Part(4), 5: _Part(5), 6: _Part(6)}
        self.steps[4].generate_cached = self._generate_cached
        self.steps[5].summarize = self._summarize
        self.steps[6].generate_stream = self._generate_stream

    def forget(self) -> None:
        """Forget the calls so far."""
        self.asked, self.handed, self.summarized, self.drawn = [], [], [], []

    def _generate_cached(
        self, model: Any, tokenizer: Any, prompt: Any, max_new_tokens: Any = None, params: Any = None
    ) -> Generation:
        self._note("generate_cached", model, tokenizer, prompt, max_new_tokens, params)
        return self.generation

    def _summarize(self, generation: Any) -> GenerateResult:
        self.summarized.append(generation)
        return deepcopy(self.result)

    def _generate_stream(
        self, model: Any, tokenizer: Any, prompt: Any, max_new_tokens: Any = None, params: Any = None
    ) -> Iterator[str]:
        self._note("generate_stream", model, tokenizer, prompt, max_new_tokens, params)
        for piece in self.pieces:
            self.streamed += 1
            yield piece

    def _note(self, name: str, model: Any, tokenizer: Any, *asked: Any) -> None:
        self.handed.append((model, tokenizer))
        self.asked.append(Asked.of(name, *asked))
        self.chance = chance()
        self.drawn.append(draw())
        error, self.error = self.error, None
        if error is not None:
            raise error


def chance() -> tuple[object, ...]:
    """The states of the generators that anybody may seed; torch's only where somebody has imported it."""
    torch = _torch()
    return random.getstate(), torch.get_rng_state().tolist() if torch else None


def was_touched(before: tuple[object, ...], after: tuple[object, ...]) -> bool:
    """Whether a generator has another state; one that was not there before, since nobody needed torch, has none."""
    return any(then not in (None, now) for then, now in zip(before, after, strict=False))


def draw() -> tuple[float, ...]:
    """A number of each of these generators."""
    torch = _torch()
    return (random.random(), *([torch.rand((), dtype=torch.float64).item()] if torch else []))


def _torch() -> Any:
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "get_rng_state") else None


class Passive:
    """Stands for a model or a tokenizer that an engine only hands on; it may be moved about, and looked at.

    Who looks is shown a scripted model or a tokenizer, made at that moment; so is who calls it.
    """

    name_or_path = "tiny"

    def _itself(self, *_: Any, **__: Any) -> "Passive":
        return self

    eval = train = to = requires_grad_ = _itself

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._shown, name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._shown(*arguments, **named)


class PassiveModel(Passive):
    """`computed` counts how often it was made to compute, which is not the engine's own business."""

    __class__ = passing_for(A_MODEL, A_MODULE)
    _generations = 0

    @property
    def computed(self) -> int:
        return self._generations + (len(self._shown.calls) if "_shown" in vars(self) else 0)

    def generate(self, *inputs: Any, streamer: Any = None, **named: Any) -> Any:
        """The library's own loop, of no token: what was put in comes out."""
        self._generations += 1
        if streamer is not None:  # its reader would wait for ever
            streamer.end()
        return inputs[0] if inputs else named.get("inputs", named.get("input_ids"))

    @cached_property
    def _shown(self) -> Any:
        from tests.doubles.scripted_model import ScriptedModel, hashed

        return ScriptedModel(hashed())


class PassiveTokenizer(Passive):
    __class__ = passing_for(A_TOKENIZER)

    @cached_property
    def _shown(self) -> Any:
        from tests.doubles.fast_tokenizer import FastTokenizer

        return FastTokenizer()

    def __len__(self) -> int:
        return len(self._shown)


def passive() -> tuple[PassiveModel, PassiveTokenizer]:
    """A model and a tokenizer for an engine."""
    return PassiveModel(), PassiveTokenizer()


def ask(engine: Any, method: str, *arguments: Any) -> Any:
    """What the engine's method gives; of a stream all pieces, as a list."""
    answer = getattr(engine, method)(*arguments)
    return list(answer) if method == "stream" else answer


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
                why=PUT_TOGETHER,
            )

        return not_needed
