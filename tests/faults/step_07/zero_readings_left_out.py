"""Leaves out what is not true, where it should leave out what is None: a reading of 0.0 is lost.

Caught by: test_a_short_answer_is_an_answer
Says: 0, false and an empty text say something too
"""

from pydantic import BaseModel, ConfigDict, Field

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"\S")
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    top_k: int = Field(default=50, ge=1, le=100)

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(temperature=self.temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


class Metrics(BaseModel):
    model_config = ConfigDict(extra="allow")

    latency_ms: float
    input_tokens: int
    output_tokens: int
    throughput: float
    used_cache: bool
    finish_reason: str | None = Field(default=None, exclude_if=lambda value: not value)
    ttft_ms: float | None = Field(default=None, exclude_if=lambda value: not value)
    tpot_ms: float | None = Field(default=None, exclude_if=lambda value: not value)


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
