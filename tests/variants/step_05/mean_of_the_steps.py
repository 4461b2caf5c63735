"""TPOT is the slope of a line from the first token to the last, worked out in NumPy and handed over as floats."""

import numpy as np

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


def summarize(generation: Generation) -> GenerateResult:
    n = sum(1 for _ in generation.output_ids)
    tpot = 0.0
    if generation.ttft_s is not None and n > 1:
        tpot = float(np.diff([generation.ttft_s, generation.latency_s])[0] / (n - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        throughput = float(np.nan_to_num(np.float64(n) / np.float64(generation.latency_s), nan=0.0, posinf=0.0))
    metrics = ServingMetrics(throughput, generation.input_tokens, n, latency_ms=float(generation.latency_s) * 1000)
    metrics.ttft_ms, metrics.tpot_ms = float(generation.ttft_s or 0) * 1000, tpot * 1000
    metrics.used_cache, metrics.finish_reason = generation.used_cache, generation.finish_reason
    return GenerateResult(generation.text, list(generation.output_ids), metrics)
