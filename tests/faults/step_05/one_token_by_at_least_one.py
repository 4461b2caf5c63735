"""One token: `max(n - 1, 1)` avoids the error, and calls the time after the only token a step.

Caught by: test_one_token_has_no_time_per_output_token
Says: with a single token there is no time between tokens
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
        tpot_ms=1000 * (latency - ttft) / max(output_tokens - 1, 1) if ttft is not None else 0.0,
        latency_ms=1000 * latency,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
    )
    return GenerateResult(generation.text, generation.output_ids, metrics)
