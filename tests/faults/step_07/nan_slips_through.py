"""Checks the temperature by comparing with both bounds, and every comparison with NaN is false.

Caught by: test_nan_and_infinity_are_refused
Says: every comparison with NaN is false
"""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"\S")
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, json_schema_extra={"minimum": 0, "maximum": 2})
    top_k: int = Field(default=50, ge=1, le=100)

    @field_validator("temperature")
    @classmethod
    def in_range(cls, value: float) -> float:
        if value < 0 or value > 2:
            raise ValueError("temperature must be from 0 to 2")
        return value

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(temperature=self.temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


class Metrics(BaseModel):
    model_config = ConfigDict(extra="allow")

    latency_ms: float
    input_tokens: int
    output_tokens: int
    throughput: float
    used_cache: bool
    finish_reason: str | None = None
    ttft_ms: float | None = None
    tpot_ms: float | None = None


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
