"""Bounds for the figures of a response too: no count below 1 and no time below 0, which no engine has."""

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveInt

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"[^ \t\r\n]")
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_k: int = Field(default=50, ge=1, le=100)

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(temperature=self.temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


class Metrics(BaseModel):
    model_config = ConfigDict(extra="allow")

    latency_ms: NonNegativeFloat
    input_tokens: PositiveInt
    output_tokens: PositiveInt
    throughput: NonNegativeFloat
    used_cache: bool
    finish_reason: str | None = WHERE_KNOWN
    ttft_ms: NonNegativeFloat | None = WHERE_KNOWN
    tpot_ms: NonNegativeFloat | None = WHERE_KNOWN


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
