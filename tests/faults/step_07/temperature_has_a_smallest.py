"""Raises the temperature to a smallest value, against a division by zero, so that 0 is not greedy any more.

Caught by: test_settings_at_their_lowest_stay_as_they_are
Says: do not raise it to a smallest value
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
        temperature = max(self.temperature, 1e-4)
        return SamplingParams(temperature=temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


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
