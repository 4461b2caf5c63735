"""Names the types that further figures may have, and forgets some: a list of names is refused.

Caught by: test_further_metrics_pass_through
Says: what the schema does not name may be of any kind that JSON has
"""

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"\S")
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0, le=2)
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
    finish_reason: str | None = WHERE_KNOWN
    ttft_ms: float | None = WHERE_KNOWN
    tpot_ms: float | None = WHERE_KNOWN
    __pydantic_extra__: dict[str, float | bool | str | list[float] | dict[str, str | int]]


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
