"""Gives TTFT and TPOT a default of 0.0, as the metrics have it inside.

Caught by: test_a_short_answer_is_an_answer
Says: reads as a measured 0.0
"""

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

    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"\S")  # at least one character that is no space
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0, allow_inf_nan=False)
    top_k: int = Field(default=50, ge=1, le=100)

    def to_sampling_params(self) -> SamplingParams:
        """The same settings as an engine takes them; `max_tokens` is `max_new_tokens`."""
        return SamplingParams(temperature=self.temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


class Metrics(BaseModel):
    """The figures of one answer, as an engine's `metrics.as_dict()` gives them.

    Always: latency_ms, input_tokens, output_tokens, throughput (tokens per second), used_cache.
    Where they are known: finish_reason, ttft_ms, tpot_ms. What else an engine tells passes through.

    Stretch: what is not known is left out of the JSON, not null.
    """

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)
    __pydantic_extra__: dict[str, JsonValue]

    latency_ms: float
    input_tokens: int
    output_tokens: int
    throughput: float
    used_cache: bool
    finish_reason: str | None = WHERE_KNOWN
    ttft_ms: float = 0.0
    tpot_ms: float = 0.0


class GenerateResponse(BaseModel):
    """The answer to a `GenerateRequest`: text, which may be empty, and metrics."""

    text: str
    metrics: Metrics
