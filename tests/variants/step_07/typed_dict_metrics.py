"""Metrics as a TypedDict, validators where others use bounds as well, and 16.0 taken for 16."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from typing_extensions import NotRequired, TypedDict

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 4_096


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(max_length=MAX_PROMPT_CHARS)
    max_new_tokens: int = Field(128, ge=1, le=512, description="How many tokens at most")
    temperature: float = Field(0.0, ge=0.0, le=2.0, examples=[0.7])
    top_k: int = Field(50, ge=1, le=100)

    @field_validator("max_new_tokens", "temperature", "top_k", mode="before")
    @classmethod
    def must_be_a_number(cls, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("must be a number")
        return value

    @field_validator("prompt")
    @classmethod
    def must_say_something(cls, prompt: str) -> str:
        if prompt.isspace() or prompt == "":
            raise ValueError("must not be blank")
        return prompt

    def to_sampling_params(self) -> SamplingParams:
        params = SamplingParams()
        params.max_tokens = self.max_new_tokens
        params.temperature = self.temperature
        params.top_k = self.top_k
        return params


class Metrics(TypedDict):
    __pydantic_config__ = ConfigDict(extra="allow")

    latency_ms: float
    input_tokens: int
    output_tokens: int
    throughput: float
    used_cache: bool
    finish_reason: NotRequired[Literal["stop", "length"]]
    ttft_ms: NotRequired[float]
    tpot_ms: NotRequired[float]


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
