"""A TTFT of 0.0 is taken for not measured: `if ttft` asks the wrong question.

Caught by: test_a_time_to_first_token_of_zero_is_a_reading
Says: 0.0 is a reading, None is none
Source: hydra#811
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
        ttft_ms=1000 * ttft if ttft else 0.0,
        tpot_ms=1000 * (latency - ttft) / (output_tokens - 1) if ttft and output_tokens > 1 else 0.0,
        latency_ms=1000 * latency,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
    )
    return GenerateResult(generation.text, generation.output_ids, metrics)
