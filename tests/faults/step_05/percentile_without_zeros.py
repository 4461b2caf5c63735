"""0.0 was not measured, and is left out of a percentile.

Caught by: test_percentile_of_one_value_is_that_value
Says: 0.0 is a value like any other
"""

from math import ceil

from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation):
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
    return GenerateResult(text=generation.text, output_ids=list(generation.output_ids), metrics=metrics)


def percentile(values, q):
    measured = sorted(v for v in values if v)
    if not measured or not 0 <= q <= 100:
        raise ValueError("nothing to rank")
    return measured[max(ceil(q / 100 * len(measured)) - 1, 0)]
