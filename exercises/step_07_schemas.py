"""Step 7: say what a request may be and what a response holds. Knows nothing of HTTP, models or engines."""

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)  # a default: None, and then not in the JSON


class GenerateRequest(BaseModel):
    """What a client may ask for. Whatever lies outside is refused, never bent into shape.

    prompt: 1 to `MAX_PROMPT_CHARS` characters, not blank, handed on as it came.
    max_new_tokens: 1 to 512, by default 128. temperature: 0 to 2, by default 0. top_k: 1 to 100, by default 50.
    Unknown fields are refused; so are null, NaN, infinities, and true or "16" where a number belongs.
    """

    # TODO 7: the strictness of the model, and its four fields with their bounds (about 5 lines)
    raise NotImplementedError("TODO 7: the strictness of the model, and its four fields with their bounds")

    def to_sampling_params(self) -> SamplingParams:
        """The same settings as an engine takes them; `max_tokens` is `max_new_tokens`."""
        # TODO 7: hand the three settings over (about 1 line)
        raise NotImplementedError("TODO 7: hand the three settings over")


class Metrics(BaseModel):
    """The figures of one answer, as an engine's `metrics.as_dict()` gives them.

    Always: latency_ms, input_tokens, output_tokens, throughput (tokens per second), used_cache.
    Where they are known: finish_reason, ttft_ms, tpot_ms. What else an engine tells passes through.

    Stretch: what is not known is left out of the JSON, not null.
    """

    # TODO 7: let further figures pass; five fields that are required and three that are not (about 9 lines)
    raise NotImplementedError("TODO 7: let further figures pass; five fields that are required and three that are not")


class GenerateResponse(BaseModel):
    """The answer to a `GenerateRequest`: text, which may be empty, and metrics."""

    # TODO 7: two fields (about 2 lines)
    raise NotImplementedError("TODO 7: two fields")
