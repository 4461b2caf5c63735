"""Checks the bounds in validators only: the published schema promises any number.

Caught by: test_the_json_schema_admits_exactly_the_valid_numbers
Says: write types and bounds into the fields
"""

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"\S")
    max_new_tokens: int = 128
    temperature: float = 0.0
    top_k: int = 50

    @model_validator(mode="after")
    def in_range(self) -> "GenerateRequest":
        if not (1 <= self.max_new_tokens <= 512 and 0 <= self.temperature <= 2 and 1 <= self.top_k <= 100):
            raise ValueError("a setting is out of range")
        return self

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
