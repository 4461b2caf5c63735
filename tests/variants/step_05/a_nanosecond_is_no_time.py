"""A nanosecond counts as no time, so the throughput of an instant is 0.0."""

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    latency, ttft = generation.latency_s, generation.ttft_s
    output_tokens = len(generation.output_ids)
    metrics = ServingMetrics(
        throughput=output_tokens / latency if latency > 1e-9 else 0.0,
        input_tokens=generation.input_tokens,
        output_tokens=output_tokens,
        ttft_ms=1000 * (0.0 if ttft is None else ttft),
        tpot_ms=1000 * (latency - ttft) / (output_tokens - 1) if ttft is not None and output_tokens > 1 else 0.0,
        latency_ms=1000 * latency,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
    )
    return GenerateResult(generation.text, generation.output_ids, metrics)
