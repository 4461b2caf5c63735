"""What a request of step 7 is refused for, and what there is to say to whoever accepts it.

Each function is handed a solution's step 7 and raises a `CheckFailure` where the request that it describes comes out.
"""

from collections.abc import Mapping
from functools import partial
from types import ModuleType

from pydantic import BaseModel

from tests.doubles.schema_calls import accepted, refused

NUMBERS = ("max_new_tokens", "temperature", "top_k")


def refuses_a_missing_prompt(step: ModuleType) -> None:
    refused(step, "a request has no meaning without a prompt: give that field no default.")


def refuses_another_name_for_the_prompt(step: ModuleType, name: str) -> None:
    why = f"the request's text is its `prompt`, and `{name}` is an unknown field: take it by one name alone."
    refused(step, why, **{name: "Hello"})


def refuses_a_blank_prompt(step: ModuleType, prompt: str) -> None:
    why = "there is nothing to answer in a blank prompt: ask for at least one character that is no space."
    refused(step, why, prompt=prompt)


def refuses_a_longer_prompt(step: ModuleType, prompt: str, most: int) -> None:
    """most: so many characters a prompt may have, and this one has more."""

    def why(request: BaseModel) -> str:
        if len(str(getattr(request, "prompt", ""))) <= most:
            return (
                "the prompt was cut, and its end is lost without a word: refuse what is longer than MAX_PROMPT_CHARS."
            )
        if " " in request.prompt or "\n" in request.prompt:
            return "spaces and line ends are characters too: count the prompt as it came, no stripped or joined copy."
        return "without an upper length one request can fill the server's memory: bound it by MAX_PROMPT_CHARS."

    refused(step, why, prompt=prompt)


def refuses_what_is_not_finite(step: ModuleType, field: str, value: float) -> None:
    why = "every comparison with NaN is false, so a bound may let it through: refuse what is not finite."
    refused(step, why, prompt="Hello", **{field: value})


def refuses_null(step: ModuleType, field: str) -> None:
    def why(request: BaseModel) -> str:
        if getattr(request, field, None) is None:
            return "an `Optional` field takes null, and None then reaches the engine: a default needs no `| None`."
        return "null was taken for a field that was left out, and became a default that nobody asked for: refuse it."

    refused(step, why, **{"prompt": "Hello", field: None})


def refuses_unknown_fields(step: ModuleType, fields: Mapping[str, object]) -> None:
    """Each of them on its own, beside a prompt that may be accepted."""
    plain = accepted(step, prompt="Hello").model_dump()

    def why(request: BaseModel, field: str) -> str:
        if field in type(request).model_fields:
            return f"the request has four fields, and {field} is one more that you declared: leave it out."
        if any(getattr(request, name, None) != plain.get(name) for name in NUMBERS):
            return "another name was taken for the field: it has one name, and whoever sends another one is to be told."
        if request.model_config.get("extra") == "forbid":
            return "code of yours takes the unknown field away before pydantic sees it: leave it, and it is refused."
        return (
            "pydantic ignores unknown fields unless told otherwise, and a typo gets the default: forbid extra fields."
        )

    for field, value in fields.items():
        refused(step, partial(why, field=field), **{"prompt": "Hello", field: value})


def refuses_what_is_no_number(step: ModuleType, field: str, value: object) -> None:
    def why(request: BaseModel) -> str:
        if request.model_config.get("strict"):
            return "true == 1 in Python, so a `Literal`, a range or a set takes it for 1, strict or not: say `int`."
        return 'pydantic turns true and "1" into 1 unless a field is strict, and a slip becomes a setting: be strict.'

    refused(step, why, prompt="Hello", **{field: value})


def refuses_what_is_no_text(step: ModuleType, prompt: object) -> None:
    refused(step, "a prompt is text and nothing else.", prompt=prompt)


def refuses_a_fraction(step: ModuleType, field: str, value: float) -> None:
    why = f"{field} is a whole number: refuse a fraction, do not round it."
    refused(step, why, prompt="Hello", **{field: value})


def refuses_half_a_character(step: ModuleType, prompt: str) -> None:
    why = 'JSON can spell half a character ("\\ud800"). It is no text, and fails later, in the engine: refuse it here.'
    refused(step, why, prompt=prompt)
