"""Checks the prompt's length in Python, where half a surrogate pair is a character like any other.

Passes everything required; only the stars are missed.

Caught by: test_half_a_character_is_refused
Says: It is no text
"""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(json_schema_extra={"maxLength": MAX_PROMPT_CHARS})
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    top_k: int = Field(default=50, ge=1, le=100)

    @field_validator("prompt")
    @classmethod
    def sensible(cls, prompt: str) -> str:
        if not prompt.strip() or len(prompt) > MAX_PROMPT_CHARS:
            raise ValueError("the prompt is blank or too long")
        return prompt

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
