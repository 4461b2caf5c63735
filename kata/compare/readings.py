"""What was seen of one request: its forwards, its answer, its time. Plain values; needs no torch."""

from dataclasses import dataclass
from itertools import pairwise


@dataclass
class Forward:
    """One pass of the model.

    tokens: how many went in. ended_s: seconds from the request's start until its logits were there.
    cache_bytes: keys and values after it, where some were handed in from a forward before; 0 where none were.
    """

    tokens: int
    ended_s: float
    cache_bytes: int = 0


@dataclass(frozen=True)
class Reading:
    """One request to one engine. `prompt` and `round` count from 0."""

    engine: str
    prompt: int
    round: int
    output_ids: list[int]
    latency_s: float
    forwards: list[Forward]

    @property
    def prompt_tokens(self) -> int:
        """What went into the first forward."""
        return self.forwards[0].tokens

    @property
    def ttft_s(self) -> float:
        """The end of the first forward, which makes the first token."""
        return self.forwards[0].ended_s

    @property
    def tpot_s(self) -> float:
        """(latency - TTFT) / (tokens - 1); 0.0 for one token."""
        tokens = len(self.output_ids)
        return (self.latency_s - self.ttft_s) / (tokens - 1) if tokens > 1 else 0.0

    @property
    def throughput(self) -> float:
        """Output tokens per second of the whole request."""
        return len(self.output_ids) / self.latency_s if self.latency_s > 0 else 0.0

    @property
    def model_tokens(self) -> int:
        """Tokens that went through the model, over all forwards."""
        return sum(forward.tokens for forward in self.forwards)

    @property
    def cache_bytes(self) -> int:
        """What was carried from one forward to the next, at the end."""
        return self.forwards[-1].cache_bytes

    def seconds_by_position(self) -> dict[int, float]:
        """Position in the sequence of each token after the first, to the seconds since the token before it.

        Example: a prompt of 3 tokens; the prefill makes the token at position 4, so the first key is 5.
        """
        ends = [forward.ended_s for forward in self.forwards[: len(self.output_ids)]]
        first = self.prompt_tokens + 2
        return {first + at: end - before for at, (before, end) in enumerate(pairwise(ends))}
