"""Hands on only what differs from the request's defaults, so that a top_k of 50 becomes the engine's default.

Caught by: test_settings_reach_the_sampling_params
Says: is lost where it equals its default
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
        settings = self.model_dump(exclude={"prompt"}, exclude_defaults=True)
        if "max_new_tokens" in settings:
            settings["max_tokens"] = settings.pop("max_new_tokens")
        return SamplingParams(**settings)


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
