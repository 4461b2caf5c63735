"""What a token costs in step 6's stream, in an answer of 64 tokens and in one of 512: text must not slow it down.

Attention over a longer cache costs something by itself, so the token loop alone (`decode_tokens`) is measured in the
same rounds: what the stream's ratio is above the loop's is the detokenizer's. The prefill belongs to neither: it is
timed as an answer of one token, and subtracted.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from bench.measure import Unexpected, ratios, rotated
from kata.solution import Solution
from kata.spread import Spread
from kata.steps import REFERENCE
from shared.runtime import Runtime, load_runtime
from shared.sampling_params import SamplingParams

SHORT, LONG = 64, 512
SHORT_ANSWERS = LONG // SHORT  # in a round, half of them before the long one, half after it
PROMPT = "Tell me a story about a red kite."
PARAMS = SamplingParams(ignore_eos=True)

Answer = Callable[[int], object]  # of so many tokens


@dataclass(frozen=True)
class Streaming:
    """Seconds a token of stream and token loop, and the long answer's by the short one's, round by round."""

    model: str
    stream_short: Spread
    stream_long: Spread
    loop_short: Spread
    loop_long: Spread
    stream_ratio: Spread
    loop_ratio: Spread

    @classmethod
    def of(cls, model: str, stream: list[tuple[float, float]], loop: list[tuple[float, float]]) -> "Streaming":
        """stream, loop: a round's cost of a token in the short answers, and in the long one."""
        (stream_short, stream_long), (loop_short, loop_long) = zip(*stream, strict=True), zip(*loop, strict=True)
        costs = (Spread.of(cost) for cost in (stream_short, stream_long, loop_short, loop_long))
        return cls(model, *costs, ratios(stream_long, stream_short), ratios(loop_long, loop_short))


def cost_of_a_token(seconds: float, tokens: int, first_token: float) -> float:
    """Seconds for each token after the first, which is taken to cost what an answer of one token does."""
    return (seconds - first_token) / (tokens - 1)


def measure_streaming(name: str, rounds: int) -> Streaming:
    """Interleaved: each round does both, in turns one and the other first. Raises `Unexpected` for a lack of text."""
    runtime = load_runtime(name, device="cpu", dtype="float32")
    with _text_alone(runtime):
        ways = _ways(runtime)
        pieces = ways["stream"](LONG)  # warms up as well
        if len(pieces) < LONG / 4:
            raise Unexpected(f"{name}: {LONG} tokens gave {len(pieces)} pieces of text, too few for a stream's cost")
        costs: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for round_number in range(rounds):
            for way in rotated(list(ways), round_number):
                costs[way].append(_costs(ways[way]))
    return Streaming.of(name, costs["stream"], costs["loop"])


def _ways(runtime: Runtime) -> dict[str, Answer]:
    solution = Solution.in_folder(REFERENCE)
    stream, decode_tokens = solution.load(6).generate_stream, solution.load(4).decode_tokens
    model, tokenizer = runtime.model, runtime.tokenizer
    inputs = solution.load(1).prepare_inputs(tokenizer, model, PROMPT)
    return {
        "stream": lambda tokens: list(stream(model, tokenizer, PROMPT, tokens, PARAMS)),
        "loop": lambda tokens: list(decode_tokens(model, inputs, tokens, PARAMS, frozenset())),
    }


def _costs(answer: Answer) -> tuple[float, float]:
    """The cost of a token in the short answers, and in the long one."""
    short = [_seconds(answer, SHORT) for _ in range(SHORT_ANSWERS // 2)]
    first = [_seconds(answer, 1) for _ in range(SHORT_ANSWERS // 2)]
    long = _seconds(answer, LONG)
    first += [_seconds(answer, 1) for _ in range(SHORT_ANSWERS // 2)]
    short += [_seconds(answer, SHORT) for _ in range(SHORT_ANSWERS // 2)]
    first_token = statistics.mean(first)
    return cost_of_a_token(statistics.mean(short), SHORT, first_token), cost_of_a_token(long, LONG, first_token)


def _seconds(answer: Answer, tokens: int) -> float:
    started = time.perf_counter()
    answer(tokens)
    return time.perf_counter() - started


@contextmanager
def _text_alone(runtime: Runtime) -> Iterator[None]:
    """While open, the model never says a special token: behind its EOS it would, and a special token is no text."""
    special = torch.tensor([id for id, token in runtime.tokenizer.added_tokens_decoder.items() if token.special])
    forbid = lambda _, __, logits: logits.index_fill(-1, special, -torch.inf)  # noqa: E731
    hook = runtime.model.get_output_embeddings().register_forward_hook(forbid)
    try:
        yield
    finally:
        hook.remove()
