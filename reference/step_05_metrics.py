"""Step 5: turn the raw readings of a generation into the figures that a server reports."""

from collections.abc import Sequence

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    """The generation's text and ids, with `ServingMetrics` made of its readings (seconds in, milliseconds out).

    Formula: throughput = output tokens / latency, in tokens per second; 0.0 where no time passed.
    Formula: TPOT = (latency - TTFT) / (output tokens - 1), 0.0 below two tokens (vLLM's definition).
    A `ttft_s` of None was not measured: TTFT and TPOT are 0.0. A `ttft_s` of 0.0 is a reading.
    """
    # BEGIN SOLUTION: count the ids, compute throughput, TTFT and TPOT, hand the rest through (about 18 lines)
    tokens, latency_s, ttft_s = len(generation.output_ids), generation.latency_s, generation.ttft_s
    throughput = tokens / latency_s if latency_s > 0 else 0.0
    tpot_s = (latency_s - ttft_s) / (tokens - 1) if ttft_s is not None and tokens > 1 else 0.0
    metrics = ServingMetrics(
        throughput=throughput,
        input_tokens=generation.input_tokens,
        output_tokens=tokens,
        ttft_ms=1000 * (ttft_s or 0.0),
        tpot_ms=1000 * tpot_s,
        latency_ms=1000 * latency_s,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
    )
    return GenerateResult(text=generation.text, output_ids=list(generation.output_ids), metrics=metrics)
    # END SOLUTION


def percentile(values: Sequence[float], q: float) -> float:
    """Stretch: the q-th percentile, q from 0 to 100, linear between neighbours; `ValueError` for no values.

    Example: `percentile([4, 1, 3, 2], 50)` is 2.5. The values may come unsorted and are left as they were.
    """
    # BEGIN SOLUTION: sort a copy, find the place of q in it, go between its neighbours (about 7 lines)
    if not values or not 0 <= q <= 100:
        raise ValueError(f"percentile needs at least one value and q from 0 to 100, not {len(values)} values and q={q}")
    ranked = sorted(values)
    place = (len(ranked) - 1) * q / 100
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)
    # END SOLUTION
