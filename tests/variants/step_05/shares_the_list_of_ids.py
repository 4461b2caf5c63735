"""The result holds the generation's own list of ids, and everything is given by place."""

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    g, n = generation, len(generation.output_ids)
    measured = g.ttft_s is not None
    return GenerateResult(
        g.text,
        g.output_ids,
        ServingMetrics(
            0.0 if g.latency_s == 0 else n / g.latency_s,
            g.input_tokens,
            n,
            g.ttft_s * 1000 if measured else 0.0,
            (g.latency_s - g.ttft_s) * 1000 / (n - 1) if measured and n >= 2 else 0.0,
            g.latency_s * 1000,
            g.used_cache,
            g.finish_reason,
        ),
    )
