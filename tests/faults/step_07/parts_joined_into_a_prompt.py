"""Joins a list of content parts into a prompt, as OpenAI's endpoint does.

Caught by: test_true_and_text_are_no_numbers
Says: a prompt is text and nothing else
"""

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(max_length=MAX_PROMPT_CHARS, pattern=r"\S")
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0, allow_inf_nan=False)
    top_k: int = Field(default=50, ge=1, le=100)

    @field_validator("prompt", mode="before")
    @classmethod
    def joined(cls, prompt):
        if isinstance(prompt, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in prompt):
            return "".join(part["text"] for part in prompt)
        return prompt

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(temperature=self.temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


class Metrics(BaseModel):
    model_config = ConfigDict(extra="allow", allow_inf_nan=False)
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
