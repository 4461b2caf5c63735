"""One look at the raw body before pydantic takes its own; bounds as decimals; every figure of a response bounded."""

from decimal import Decimal
from math import isfinite
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 8_192
NUMBERS = ("max_new_tokens", "temperature", "top_k")


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_default=True)

    prompt: str = Field(..., min_length=1, max_length=MAX_PROMPT_CHARS)
    max_new_tokens: int = Field(128, ge=Decimal(1), le=Decimal(512))
    temperature: float = Field(0.0, ge=0, le=2)
    top_k: int = Field(50, ge=1, le=100)

    @model_validator(mode="before")
    @classmethod
    def plain(cls, body: Any) -> Any:
        if not isinstance(body, dict):
            raise ValueError("send an object")
        for name in NUMBERS:
            value = body.get(name, 0)
            if type(value) not in (int, float) or (type(value) is float and not isfinite(value)):
                raise ValueError(f"{name} is no number")
        if isinstance(body.get("prompt"), str) and not body["prompt"].strip():
            raise ValueError("the prompt is blank")
        return body

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(
            max_tokens=int(self.max_new_tokens), temperature=float(self.temperature), top_k=int(self.top_k)
        )


class Figures(BaseModel):
    model_config = ConfigDict(extra="allow")

    latency_ms: float = Field(ge=0)
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    throughput: float = Field(ge=0)
    used_cache: bool
    ttft_ms: float | int | None = Field(None, ge=0)
    tpot_ms: float | int | None = Field(None, ge=0)
    finish_reason: str | None = None


class GenerateResponse(BaseModel):
    metrics: Figures
    text: str
