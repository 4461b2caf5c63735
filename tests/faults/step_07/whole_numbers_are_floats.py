"""Declares the limit as a float that is a multiple of 1, and makes 16.0 of 16.

Caught by: test_max_new_tokens_is_1_to_512
Says: a whole number is an int
"""

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"[^ \t\r\n]")
    max_new_tokens: float = Field(default=128, ge=1, le=512, multiple_of=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_k: int = Field(default=50, ge=1, le=100)

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(temperature=self.temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


class Metrics(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, JsonValue]

    latency_ms: float
    input_tokens: int
    output_tokens: int
    throughput: float
    used_cache: bool
    finish_reason: str | None = WHERE_KNOWN
    ttft_ms: float | None = WHERE_KNOWN
    tpot_ms: float | None = WHERE_KNOWN


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
