"""The arithmetic is done in exact fractions and turned into floats at the end."""

from fractions import Fraction

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    n, latency = len(generation.output_ids), Fraction(generation.latency_s)
    figures = {"ttft_ms": Fraction(0), "tpot_ms": Fraction(0), "latency_ms": 1000 * latency}
    figures["throughput"] = Fraction(n) / latency if latency else Fraction(0)
    if generation.ttft_s is not None:
        figures["ttft_ms"] = 1000 * Fraction(generation.ttft_s)
        if n > 1:
            figures["tpot_ms"] = (figures["latency_ms"] - figures["ttft_ms"]) / (n - 1)
    metrics = ServingMetrics(
        input_tokens=generation.input_tokens,
        output_tokens=n,
        used_cache=generation.used_cache,
        finish_reason=generation.finish_reason,
        **{name: float(value) for name, value in figures.items()},
    )
    return GenerateResult(generation.text, list(generation.output_ids), metrics)
