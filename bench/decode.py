"""The reference's decoding against the library's own `generate`: same model, same ids, greedy, a batch of one.

The library is handed ids and gives ids; the reference is timed with its template and its decoding to text, so the
comparison leans towards the library. EOS is switched off on both sides, so that both make the same number of tokens.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from bench.measure import Unexpected, ratios, rotated
from kata.solution import Solution
from kata.spread import Spread
from kata.steps import REFERENCE
from shared.runtime import Runtime, load_runtime
from shared.sampling_params import SamplingParams

PROMPT = "Explain to a newcomer what a cache of keys and values is good for."
Decode = Callable[[], list[int]]


@dataclass(frozen=True)
class Decoding:
    """Seconds for `tokens` new tokens by each way, and how many times as fast as the library's each step is."""

    model: str
    tokens: int
    library: Spread
    cached: Spread
    uncached: Spread
    cached_speedup: Spread
    uncached_speedup: Spread

    @classmethod
    def of(cls, model: str, tokens: int, readings: Mapping[str, list[float]]) -> "Decoding":
        """readings: seconds by way (library, cached, uncached), round by round."""
        speedups = {f"{way}_speedup": ratios(readings["library"], readings[way]) for way in ("cached", "uncached")}
        return cls(model, tokens, **{way: Spread.of(seconds) for way, seconds in readings.items()}, **speedups)


def measure_decoding(name: str, tokens: int, rounds: int) -> Decoding:
    """Interleaved: each round does all three, each round begins with another one. Raises `Unexpected` if ids differ."""
    runtime = load_runtime(name, device="cpu", dtype="float32")
    with _no_eos(runtime):
        ways = _ways(runtime, tokens)
        wanted = {way: decode() for way, decode in ways.items()}  # warms up as well
        if len({tuple(ids) for ids in wanted.values()}) != 1:
            raise Unexpected(f"{name}: the three ways do not give the same ids, so their times mean nothing")
        readings: dict[str, list[float]] = {way: [] for way in ways}
        for round_number in range(rounds):
            for way in rotated(list(ways), round_number):
                started = time.perf_counter()
                ways[way]()
                readings[way].append(time.perf_counter() - started)
    return Decoding.of(name, tokens, readings)


def _ways(runtime: Runtime, tokens: int) -> dict[str, Decode]:
    solution = Solution.in_folder(REFERENCE)
    prepare_inputs = solution.load(1).prepare_inputs
    generate_uncached, generate_cached = solution.load(3).generate_uncached, solution.load(4).generate_cached
    model, tokenizer = runtime.model, runtime.tokenizer
    inputs = prepare_inputs(tokenizer, model, PROMPT)
    params = SamplingParams(ignore_eos=True)

    def library() -> list[int]:
        sequence = model.generate(**inputs, max_new_tokens=tokens, do_sample=False)
        return sequence[0, inputs["input_ids"].shape[1] :].tolist()

    return {
        "library": library,
        "cached": lambda: generate_cached(model, tokenizer, PROMPT, tokens, params).output_ids,
        "uncached": lambda: generate_uncached(model, tokenizer, PROMPT, tokens, params).output_ids,
    }


@contextmanager
def _no_eos(runtime: Runtime) -> Iterator[None]:
    """While open, the library's `generate` knows no EOS."""
    config = runtime.model.generation_config
    kept, config.eos_token_id = config.eos_token_id, None
    try:
        yield
    finally:
        config.eos_token_id = kept
