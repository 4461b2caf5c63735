"""Hands on only what the client wrote: what was left out gets the default of the engine, not of the request.

Caught by: test_settings_reach_the_sampling_params
Says: a setting that the client left out has its default
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
        written = self.model_dump(exclude={"prompt"}, exclude_unset=True)
        if "max_new_tokens" in written:
            written["max_tokens"] = written.pop("max_new_tokens")
        return SamplingParams(**written)


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
