"""What one request cost: the figures inside every result and every HTTP response."""

from dataclasses import dataclass
from typing import Any


@dataclass
class RequestMetrics:
    """The figures of one `generate` call.

    throughput: output tokens per second. input_tokens, output_tokens: tokens of prompt and completion.
    ttft_ms: time to first token, in milliseconds; 0.0 where it was not measured.
    tpot_ms: time per output token after the first, in milliseconds; 0.0 where it was not measured.
    """

    throughput: float
    input_tokens: int
    output_tokens: int
    ttft_ms: float = 0.0
    tpot_ms: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON, rounded; what was not measured is left out.

        Example: `{"throughput": 12.5, "input_tokens": 20, "output_tokens": 40}`.
        """
        figures: dict[str, Any] = {
            "throughput": round(self.throughput, 1),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }
        if self.ttft_ms:
            figures["ttft_ms"] = round(self.ttft_ms, 2)
        if self.tpot_ms:
            figures["tpot_ms"] = round(self.tpot_ms, 2)
        return figures


@dataclass
class ServingMetrics(RequestMetrics):
    """The figures that an engine behind the server returns.

    latency_ms: the whole request, in milliseconds. used_cache: whether decoding reused a KV cache.
    finish_reason: "stop" (an EOS token ended it) or "length"; None where it is not known.
    """

    latency_ms: float = 0.0
    used_cache: bool = False
    finish_reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """As in `RequestMetrics`, with latency and cache use, and the finish reason where it is known."""
        figures = super().as_dict() | {"latency_ms": round(self.latency_ms, 2), "used_cache": self.used_cache}
        if self.finish_reason is not None:
            figures["finish_reason"] = self.finish_reason
        return figures


@dataclass
class SpecDecodeMetrics(ServingMetrics):
    """The figures of an engine that lets a small model propose tokens and a large one accept them."""

    tokens_proposed: int = 0
    tokens_accepted: int = 0

    @property
    def acceptance_rate(self) -> float:
        """Accepted by proposed tokens, 0.0 when nothing was proposed."""
        return self.tokens_accepted / max(self.tokens_proposed, 1)

    def as_dict(self) -> dict[str, Any]:
        """As in `ServingMetrics`, with all three figures of the speculation."""
        return super().as_dict() | {
            "tokens_proposed": self.tokens_proposed,
            "tokens_accepted": self.tokens_accepted,
            "acceptance_rate": round(self.acceptance_rate, 3),
        }
