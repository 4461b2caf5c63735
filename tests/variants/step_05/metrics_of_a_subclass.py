"""The metrics are a subclass that works its figures out itself."""

from dataclasses import dataclass

from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult


@dataclass
class Measured(ServingMetrics):
    @classmethod
    def of(cls, g: Generation) -> "Measured":
        n = len(g.output_ids)
        decode_s = 0 if g.ttft_s is None else g.latency_s - g.ttft_s
        return cls(
            throughput=n / g.latency_s if g.latency_s else 0,
            input_tokens=g.input_tokens,
            output_tokens=n,
            ttft_ms=(g.ttft_s or 0) * 1000,
            tpot_ms=decode_s / (n - 1) * 1000 if n > 1 else 0,
            latency_ms=g.latency_s * 1000,
            used_cache=g.used_cache,
            finish_reason=g.finish_reason,
        )


def summarize(generation: Generation) -> GenerateResult:
    return GenerateResult(generation.text, list(generation.output_ids), Measured.of(generation))
