"""Equal settings get the same SamplingParams out of a cache, which anybody may change.

Caught by: test_settings_reach_the_sampling_params
Says: Make new ones in each call
Says: top_k=3).to_sampling_params(); two
"""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)


@lru_cache(maxsize=None)
def params_for(temperature: float, top_k: int, limit: int) -> SamplingParams:
    return SamplingParams(temperature=temperature, top_k=top_k, max_tokens=limit)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"[^ \t\r\n]")
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_k: int = Field(default=50, ge=1, le=100)

    def to_sampling_params(self) -> SamplingParams:
        return params_for(self.temperature, self.top_k, self.max_new_tokens)


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
