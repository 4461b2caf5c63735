"""Turns further figures that are no single value into text, to be on the safe side.

Caught by: test_further_metrics_pass_through
Says: or turn it into another type
"""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

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
    finish_reason: str | None = None
    ttft_ms: float | None = None
    tpot_ms: float | None = None

    @model_validator(mode="after")
    def as_text(self) -> Self:
        for name, figure in self.__pydantic_extra__.items():
            if isinstance(figure, list | dict):
                self.__pydantic_extra__[name] = str(figure)
        return self


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
