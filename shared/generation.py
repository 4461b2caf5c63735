"""What a token loop hands over: raw readings, no derived figures."""

from collections.abc import Collection, Sequence
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


def finish_reason(output_ids: Sequence[int], stop_ids: Collection[int], ignore_eos: bool) -> str:
    """Why a generation ended: "stop" or "length".

    Example: `finish_reason([5, 2], {2}, ignore_eos=False)` is "stop"; with `ignore_eos` only length ends it.
    """
    stopped = not ignore_eos and bool(output_ids) and output_ids[-1] in stop_ids
    return "stop" if stopped else "length"
