"""The reference's own server, on an engine that speaks without a model: no torch is imported for it."""

from collections.abc import Iterator
from functools import cache
from types import ModuleType

from fastapi import FastAPI

from kata.solution import Solution
from kata.steps import REFERENCE, get_step
from shared.metrics import ServingMetrics
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams

COMPUTING_STEPS = (1, 2, 3, 4, 6)


class ScriptedEngine:
    """An `Engine` that always says the same, in two tokens or one, as it is allowed."""

    def generate(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> GenerateResult:
        limit = max_new_tokens or (params.max_tokens if params else 2)
        metrics = ServingMetrics(
            500.0, len(prompt), min(2, limit), ttft_ms=2.0, tpot_ms=2.0, latency_ms=4.0, used_cache=True
        )
        return GenerateResult("Hello there!", [7, 8], metrics)

    def stream(
        self, prompt: str, max_new_tokens: int | None = None, params: SamplingParams | None = None
    ) -> Iterator[str]:
        yield from ("Hello", " there!")


def reference_server() -> FastAPI:
    """A fresh app of the reference's step 8."""
    return step_8().create_app(ScriptedEngine())


@cache
def step_8() -> ModuleType:
    """The reference's step 8 on hollow steps: its own engine is not used here, so nothing of them is called."""
    solution = Solution.in_folder(REFERENCE)
    for number in COMPUTING_STEPS:
        solution = solution.with_step(number, _hollow(number))
    return solution.load(8)


def _hollow(number: int) -> ModuleType:
    """A step that has every public name, each of them None."""

    def name_in_it(name: str) -> None:
        if name.startswith("_"):
            raise AttributeError(name)

    module = ModuleType(get_step(number).module)
    module.__getattr__ = name_in_it
    return module
