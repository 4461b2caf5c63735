"""Compares before the type is known: null and text end in a TypeError, which is a 500 to the client.

Caught by: test_null_is_refused, test_true_and_text_are_no_numbers
Says: anything else a 500
"""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"\S")
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    top_k: int = Field(default=50, ge=1, le=100)

    @field_validator("top_k", mode="before")
    @classmethod
    def in_range(cls, value: int) -> int:
        if not 1 <= value <= 100:
            raise ValueError("top_k must be from 1 to 100")
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
