"""What was sorted is kept under the list's `id`, and told again when the list has changed.

Caught by: test_percentile_leaves_the_values_as_they_were
Says: what was sorted then is not kept
"""

from collections.abc import Sequence
from math import ceil

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult

SORTED = {}


def summarize(generation: Generation) -> GenerateResult:
    output_tokens = len(generation.output_ids)
    throughput = output_tokens / generation.latency_s if generation.latency_s else 0.0
    ttft_ms = tpot_ms = 0.0
    if generation.ttft_s is not None:
        ttft_ms = 1000 * generation.ttft_s
        if output_tokens > 1:
            tpot_ms = 1000 * (generation.latency_s - generation.ttft_s) / (output_tokens - 1)
    metrics = ServingMetrics(
        throughput=throughput,
        input_tokens=generation.input_tokens,
        output_tokens=output_tokens,
        ttft_ms=ttft_ms,
        tpot_ms=tpot_ms,
        latency_ms=1000 * generation.latency_s,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
    )
    return GenerateResult(text=generation.text, output_ids=list(generation.output_ids), metrics=metrics)


def percentile(values: Sequence[float], q: float) -> float:
    if not values or not 0 <= q <= 100:
        raise ValueError(f"percentile needs at least one value and q from 0 to 100, not {len(values)} values and q={q}")
    key = id(values), len(values)
    if key not in SORTED:
        SORTED[key] = values, sorted(values)  # the values too: as long as they live, their id is nobody else's
    ranked = SORTED[key][1]
    return ranked[max(ceil(q / 100 * len(ranked)), 1) - 1]
