"""The divisions are tried, and a `ZeroDivisionError` gives 0.0."""

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def divide(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        return 0.0


def summarize(generation: Generation) -> GenerateResult:
    n = len(generation.output_ids)
    ttft, tpot = generation.ttft_s, 0.0
    if ttft is None:
        ttft = 0.0
    elif n:
        tpot = divide(generation.latency_s - ttft, n - 1)
    return GenerateResult(
        text=generation.text,
        output_ids=[*generation.output_ids],
        metrics=ServingMetrics(
            throughput=divide(n, generation.latency_s),
            input_tokens=generation.input_tokens,
            output_tokens=n,
            ttft_ms=ttft * 1000,
            tpot_ms=tpot * 1000,
            latency_ms=generation.latency_s * 1000,
            used_cache=generation.used_cache,
            finish_reason=generation.finish_reason,
        ),
    )
