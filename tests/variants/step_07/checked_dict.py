"""Metrics stay the dictionary that the engine gave; a validator sees to what must be in it."""

from typing import Any

from pydantic import BaseModel, Field, confloat, conint, constr, field_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 65_536
KNOWN = {"latency_ms", "input_tokens", "output_tokens", "throughput", "used_cache"}


class GenerateRequest(BaseModel):
    class Config:
        extra = "forbid"

    prompt: constr(strict=True, min_length=1, max_length=MAX_PROMPT_CHARS)
    max_new_tokens: conint(strict=True, ge=1, le=512) = 128
    temperature: confloat(strict=True, ge=0.0, le=2.0, allow_inf_nan=False) = 0.0
    top_k: conint(strict=True, ge=1, le=100) = 50

    @field_validator("prompt")
    def no_blank_prompt(cls, value):
        if len(value.split()) == 0:
            raise ValueError("blank prompt")
        return value

    def to_sampling_params(self):
        return SamplingParams(
            temperature=self.temperature, top_k=self.top_k, top_p=1.0, ignore_eos=False, max_tokens=self.max_new_tokens
        )


class GenerateResponse(BaseModel):
    text: str = Field(...)
    metrics: dict[str, Any] = Field(...)

    @field_validator("metrics")
    def complete(cls, value):
        if missing := KNOWN - value.keys():
            raise ValueError(f"missing metrics: {sorted(missing)}")
        return value
