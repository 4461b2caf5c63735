"""`percentile` takes q for a fraction from 0 to 1.

Caught by: test_percentile_lies_where_q_percent_of_the_values_lie_below
Says: q is taken from 0 to 1 here
"""

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    latency, ttft = generation.latency_s, generation.ttft_s
    output_tokens = len(generation.output_ids)
    metrics = ServingMetrics(
        throughput=output_tokens / generation.latency_s if generation.latency_s > 0 else 0.0,
        input_tokens=generation.input_tokens,
        output_tokens=output_tokens,
        ttft_ms=1000 * (0.0 if ttft is None else ttft),
        tpot_ms=1000 * (latency - ttft) / (output_tokens - 1) if ttft is not None and output_tokens > 1 else 0.0,
        latency_ms=1000 * latency,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
    )
    return GenerateResult(generation.text, generation.output_ids, metrics)


def percentile(values, q):
    ranked = sorted(values)
    return ranked[min(int(q * len(ranked)), len(ranked) - 1)]
