"""Each figure is a function with early returns."""

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def throughput(tokens: int, seconds: float) -> float:
    if not seconds:
        return 0.0
    return tokens / seconds


def tpot(generation: Generation) -> float:
    steps = len(generation.output_ids) - 1
    if generation.ttft_s is None or steps < 1:
        return 0.0
    return (generation.latency_s - generation.ttft_s) / steps


def summarize(generation: Generation) -> GenerateResult:
    tokens = len(generation.output_ids)
    metrics = ServingMetrics(throughput(tokens, generation.latency_s), generation.input_tokens, tokens)
    metrics.latency_ms = generation.latency_s * 1e3
    metrics.ttft_ms = (generation.ttft_s or 0.0) * 1e3
    metrics.tpot_ms = tpot(generation) * 1e3
    metrics.used_cache, metrics.finish_reason = generation.used_cache, generation.finish_reason
    return GenerateResult(generation.text, generation.output_ids, metrics)
