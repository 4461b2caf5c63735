"""Bounds as constrained types of their own, exclusive where the lesson says inclusive; the largest prompt allowed."""

from typing import Annotated

from annotated_types import Gt, Lt
from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StringConstraints

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 1_000_000

TokenLimit = Annotated[StrictInt, Gt(0), Lt(513)]
TopK = Annotated[StrictInt, Gt(0), Lt(101)]
Temperature = Annotated[StrictFloat, Field(ge=0, le=2)]
Prompt = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=MAX_PROMPT_CHARS, pattern=r"[^\s]")]


class GenerateRequest(BaseModel, extra="forbid"):
    prompt: Prompt
    max_new_tokens: TokenLimit = 128
    temperature: Temperature = 0.0
    top_k: TopK = 50

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(self.temperature, self.top_k, max_tokens=self.max_new_tokens)


class GenerateMetrics(BaseModel):
    model_config = ConfigDict(extra="allow")

    latency_ms: float
    ttft_ms: float | None = None
    tpot_ms: float | None = None
    input_tokens: int
    output_tokens: int
    throughput: float
    used_cache: bool
    finish_reason: str | None = None


class GenerateResponse(BaseModel):
    text: str
    metrics: GenerateMetrics
