"""Takes the length of the stripped prompt: a million spaces are no characters.

Caught by: test_the_prompt_has_an_upper_length
Says: spaces and line ends are characters too
"""

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 32_768
WHERE_KNOWN = Field(default=None, exclude_if=lambda value: value is None)


class GenerateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    prompt: str = Field(pattern=r"[^ \t\r\n]", json_schema_extra={"maxLength": MAX_PROMPT_CHARS})
    max_new_tokens: int = Field(default=128, ge=1, le=512)
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_k: int = Field(default=50, ge=1, le=100)

    @field_validator("prompt")
    @classmethod
    def must_fit(cls, prompt: str) -> str:
        if len(prompt.strip()) > MAX_PROMPT_CHARS:
            raise ValueError(f"at most {MAX_PROMPT_CHARS} characters")
        return prompt

    def to_sampling_params(self) -> SamplingParams:
        return SamplingParams(temperature=self.temperature, top_k=self.top_k, max_tokens=self.max_new_tokens)


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
