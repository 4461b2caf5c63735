"""The prompt is a `str` of a class of its own, made by a validator that pydantic finds in it."""

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import core_schema

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768


class Prompt(str):
    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        text = core_schema.str_schema(strict=True, max_length=MAX_PROMPT_CHARS, pattern=r"\S")
        return core_schema.no_info_after_validator_function(cls, text)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: Prompt
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_k: int = Field(default=50, ge=1, le=100)

    def to_sampling_params(self):
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
