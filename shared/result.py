"""What every engine returns: the text, the ids behind it, and what they cost."""

from dataclasses import dataclass

from shared.metrics import RequestMetrics


@dataclass
class GenerateResult:
    """The envelope of one `generate` call.

    text: the completion, decoded without special tokens and without clean-up of spaces.
    output_ids: every generated id as a plain int, the stopping EOS included, the prompt not.
    metrics: a `RequestMetrics` or any subclass of it.
    """

    text: str
    output_ids: list[int]
    metrics: RequestMetrics
