"""Writes the request as a plain class or dataclass, whose annotations check nothing.

Caught by: test_request_and_response_are_pydantic_models
Says: derive the class from BaseModel
"""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768


@dataclass
class GenerateRequest:
    prompt: str
    max_new_tokens: int = 128
    temperature: float = 0.0
    top_k: int = 50

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


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
