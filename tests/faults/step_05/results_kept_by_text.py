"""A text that was summarized before has its result already.

Caught by: test_every_id_counts_zero_repeated_and_stopping_ones_too
Says: an earlier call's result was given back
"""

from math import ceil

from shared.metrics import ServingMetrics
from shared.result import GenerateResult

_SEEN = {}


def summarize(generation):
    if generation.text in _SEEN:
        return _SEEN[generation.text]
    output_tokens = len(generation.output_ids)
    throughput = output_tokens / generation.latency_s if generation.latency_s > 0 else 0.0
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
    _SEEN[generation.text] = GenerateResult(
        text=generation.text, output_ids=list(generation.output_ids), metrics=metrics
    )
    return _SEEN[generation.text]


def percentile(values, q):
    if not values or not 0 <= q <= 100:
        raise ValueError(f"percentile needs at least one value and q from 0 to 100, not {len(values)} values and q={q}")
    ranked = sorted(values)
    return ranked[max(ceil(q / 100 * len(ranked)) - 1, 0)]
