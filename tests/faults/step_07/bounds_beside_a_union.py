"""The bounds stand beside a union of types: they are checked, and the JSON schema does not know of them.

Caught by: test_the_json_schema_admits_exactly_the_valid_numbers
Says: bounds in the `Field` of a union
"""

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, JsonValue, StrictFloat, StrictInt, StrictStr

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    prompt: StrictStr = Field(..., max_length=MAX_PROMPT_CHARS, pattern="\\S")
    max_new_tokens: StrictInt = Field(128, ge=1, le=512)
    temperature: StrictFloat | StrictInt = Field(0.0, ge=0, le=2)
    top_k: StrictInt = Field(50, ge=1, le=100)

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(temperature=float(self.temperature), top_k=self.top_k, max_tokens=self.max_new_tokens)


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
