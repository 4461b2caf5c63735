"""What a token loop hands over: raw readings, no derived figures."""

from dataclasses import dataclass


@dataclass
class Generation:
    """One finished generation.

    text: the completion, decoded without special tokens and without clean-up of spaces.
    input_tokens: tokens of the prompt as the model saw it, the chat template's own included.
    output_ids: every generated id as a plain int, the stopping EOS included.
    finish_reason: "stop" where an EOS ended it (also as the last permitted token), else "length".
    ttft_s: seconds from the arrival of the request to the first token; None where it was not measured.
    latency_s: seconds from the arrival of the request to the last token.
    used_cache: whether decoding reused a KV cache.
    """

    text: str
    input_tokens: int
    output_ids: list[int]
    finish_reason: str
    ttft_s: float | None
    latency_s: float
    used_cache: bool
