"""What HTTP adds to the time to first token: the same engine, asked in this process and over a socket of its own.

The server is `kata serve` on the reference, a process of its own; its client keeps the connection. TTFT is read by
whoever asked, from before the call to the first piece of text.
"""

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from bench.measure import Unexpected
from bench.serving import serving
from kata.solution import Solution
from kata.spread import Spread
from kata.steps import REFERENCE
from shared.engine import Engine
from shared.runtime import load_runtime
from shared.sampling_params import SamplingParams

PROMPT = "What is a KV cache?"
NEW_TOKENS = 4
PAIRS = 20  # in a round


@dataclass(frozen=True)
class Overhead:
    """Medians of each round: TTFT in seconds by either way, and the difference pair by pair."""

    model: str
    pairs: int
    engine: Spread
    http: Spread
    added: Spread

    @classmethod
    def of(cls, model: str, rounds: list[list[tuple[float, float]]]) -> "Overhead":
        """rounds: for each the pairs of readings, the engine's and the one over HTTP."""
        engine, http = ([statistics.median(pair[at] for pair in pairs) for pairs in rounds] for at in (0, 1))
        added = [statistics.median(http - engine for engine, http in pairs) for pairs in rounds]
        return cls(model, len(rounds[0]), Spread.of(engine), Spread.of(http), Spread.of(added))


def measure_overhead(name: str, rounds: int) -> Overhead:
    """Interleaved: each pair does both, in turns the one and the other first."""
    runtime = load_runtime(name)  # on the device that the server picks too
    engine = Solution.in_folder(REFERENCE).load(8).CachedEngine(runtime.model, runtime.tokenizer)
    command = ("-m", "kata", "serve", "--impl", "reference", "--model", name, "--port", "0")
    with serving(*command) as server, server.client() as client:
        _pairs(engine, client)  # warms up
        return Overhead.of(name, [_pairs(engine, client) for _ in range(rounds)])


def _pairs(engine: Engine, client: httpx.Client) -> list[tuple[float, float]]:
    pairs = []
    for at in range(PAIRS):
        if at % 2:
            over_http = _ttft_over_http(client)
            pairs.append((_ttft_of(engine), over_http))
        else:
            pairs.append((_ttft_of(engine), _ttft_over_http(client)))
    return pairs


def _ttft_of(engine: Engine) -> float:
    started = time.perf_counter()
    return _until_first(iter(engine.stream(PROMPT, NEW_TOKENS, SamplingParams())), started)


def _ttft_over_http(client: httpx.Client) -> float:
    started = time.perf_counter()
    with client.stream("POST", "/stream", json={"prompt": PROMPT, "max_new_tokens": NEW_TOKENS}) as response:
        response.raise_for_status()
        return _until_first(response.iter_raw(), started)


def _until_first(pieces: Iterator[str] | Iterator[bytes], started: float) -> float:
    """Seconds to the first piece; the others are read too, so that the next request finds nobody in its way."""
    if not next(pieces, None):
        raise Unexpected(f"{PROMPT!r} got an empty answer, so there is no first token to wait for")
    seconds = time.perf_counter() - started
    for _ in pieces:
        pass
    return seconds
