"""Settings in a base class, metrics that inherit from required ones, what is unknown dropped by a serializer."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_serializer

from shared.sampling_params import SamplingParams

MAX_PROMPT_CHARS = 20_000


def not_blank(text: str) -> str:
    assert any(not character.isspace() for character in text), "say something"
    return text


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    max_new_tokens: Annotated[int, Field(ge=1, le=512)] = 128
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    top_k: Annotated[int, Field(ge=1, le=100)] = 50

    def to_sampling_params(self) -> SamplingParams:
        values = self.model_dump(include={"temperature", "top_k"})
        return SamplingParams(**values, max_tokens=self.max_new_tokens)


class GenerateRequest(Settings):
    prompt: Annotated[str, Field(min_length=1, max_length=MAX_PROMPT_CHARS), AfterValidator(not_blank)]


class AlwaysKnown(BaseModel):
    latency_ms: float
    input_tokens: int
    output_tokens: int
    throughput: float
    used_cache: bool


class Metrics(AlwaysKnown):
    model_config = ConfigDict(extra="allow")

    finish_reason: str | None = None
    ttft_ms: float | None = None
    tpot_ms: float | None = None

    @model_serializer(mode="wrap")
    def without_unknown(self, handler) -> dict[str, Any]:
        return {name: figure for name, figure in handler(self).items() if figure is not None}


class GenerateResponse(BaseModel):
    text: str
    metrics: Metrics
