"""What a response of step 7 holds in JSON, as FastAPI sends it, and what it does without.

Each function is handed a solution's step 7 and raises a `CheckFailure`.
"""

import json
from types import ModuleType
from typing import get_args, get_origin

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from kata.failure import expect
from tests.doubles.schema_calls import first_error, shown
from tests.doubles.texts import spelling

NAMED = (
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "throughput",
    "used_cache",
    "finish_reason",
    "ttft_ms",
    "tpot_ms",
)
MAY_BE_MISSING = ("finish_reason", "ttft_ms", "tpot_ms")


def response_json(step: ModuleType, text: str, metrics: dict) -> dict:
    """What a client reads of a response, which must be accepted: FastAPI sends a field under its alias."""
    call = f"GenerateResponse(text={text!r}, metrics={shown(metrics)})"
    try:
        response = step.GenerateResponse(text=text, metrics=dict(metrics))
    except ValidationError as error:
        why = "engines return this: ttft_ms, tpot_ms and finish_reason may be missing, the text empty, a reading 0.0, "
        why += "and what the schema does not name may be of any kind that JSON has."
        first = error.errors()[0]
        if first["type"] == "missing" and {*first["loc"]} & {*MAY_BE_MISSING}:
            why = "ttft_ms, tpot_ms and finish_reason may be missing, since not every engine tells them, and a field "
            why += "without a default is required: `| None` is a type and no default. Write `= None`, or WHERE_KNOWN."
        expect(False, call=call, got=f"refused: {first_error(error)}", wanted="accepted", why=why)
    body = TypeAdapter(step.GenerateResponse).dump_python(response, mode="json", by_alias=True)
    why = "a response is the text as it came, and the figures under `metrics`."
    if type(body) is dict and {"text", "metrics"} - set(body):
        why += " FastAPI sends a field under its alias: give it none."
    sent = body.get("text") if type(body) is dict else None
    spelled = spelling(sent, text) if isinstance(sent, str) else repr
    expect(
        type(body) is dict and type(body.get("metrics")) is dict and sent == text,
        call=f"{call}, as FastAPI sends it",
        got=spelled(body),
        wanted=f"an object with text={spelled(text)} and an object of metrics",
        why=why,
    )
    return body


def expect_metrics(body: dict, metrics: dict) -> None:
    """Whether the JSON's metrics hold all the figures, each of its own kind: true is not 1."""
    got = body["metrics"]
    for name, figure in metrics.items():
        value = got.get(name)
        why = "the response carries every figure that the engine gave, unchanged, also those that the schema does not "
        why += "name: allow extra fields there."
        if name in NAMED or value is not None:
            why = "the response carries the engine's figures as they are: this one was changed on the way. Do not "
            why += "round it, work it out anew, or turn it into another type."
            if value is None:
                why = "the response carries the engine's figures under the engine's names: this one is left out, or "
                why += "has another name, as by an alias: FastAPI sends a field under that one."
        if not figure:
            why = (
                "0, false and an empty text say something too: what the engine gave stays in, and only None is nothing."
            )
        expect(
            value == figure and isinstance(value, bool) is isinstance(figure, bool),
            call=f"GenerateResponse(text=…, metrics={shown(metrics)}), as FastAPI sends it, metrics.{name}",
            got=repr(value) if name in got else "not there",
            wanted=repr(figure),
            why=why,
        )


def check_response(step: ModuleType, text: str, metrics: dict) -> dict:
    """The response's JSON, which must hold both unchanged."""
    body = response_json(step, text, metrics)
    expect_metrics(body, metrics)
    return body


def expect_nothing_made_up(body: dict, metrics: dict) -> None:
    """Whether the JSON tells no figure that the metrics lack; null tells none."""
    for name in MAY_BE_MISSING:
        made_up = body["metrics"].get(name) if name not in metrics else None
        why = "the engine did not measure it: what stands here tells the client something that nobody knows."
        if made_up == 0:
            why = "a default of 0.0 reads as a measured 0.0: what nobody measured is None, or left out."
        if name == "finish_reason":
            why = "the engine did not say why it stopped: a default here tells the client something that nobody knows."
        expect(
            made_up is None,
            call=f"GenerateResponse(text='', metrics={shown(metrics)}), as FastAPI sends it, metrics.{name}",
            got=repr(made_up),
            wanted="left out, or null",
            why=why,
        )


def leaves_out_what_was_not_measured(step: ModuleType, metrics: dict) -> None:
    """Whether the JSON has these figures and no others; null would be one."""
    got = response_json(step, "Yes.", metrics)["metrics"]
    why = "null and a default of 0.0 are no readings, and a chart takes them for some: leave a field out while it "
    why += "is None."
    own = json.loads(step.GenerateResponse(text="Yes.", metrics=dict(metrics)).model_dump_json())["metrics"]
    if set(own) == set(metrics):
        why = "FastAPI does not call your model_dump_json: say it in the fields, with WHERE_KNOWN or `exclude_if`."
    elif unknown := _unknown_settings(step.GenerateResponse):
        why = f"pydantic's ConfigDict knows no `{unknown[0]}`, and says so to nobody: say it in the fields, with "
        why += "WHERE_KNOWN or `exclude_if`."
    expect(
        set(got) == set(metrics),
        call=f"GenerateResponse(text='Yes.', metrics={shown(metrics)}), as FastAPI sends it",
        got=shown(got),
        wanted=shown(metrics),
        why=why,
    )


def _unknown_settings(model: type[BaseModel]) -> list[str]:
    """What stands in the configs of the model, and of the models in it, and is nothing that pydantic knows."""
    inner = [kind for field in model.model_fields.values() for kind in (field.annotation, *get_args(field.annotation))]
    models = [model, *(kind for kind in inner if isinstance(kind, type) and issubclass(kind, BaseModel))]
    return [name for each in models for name in each.model_config if name not in ConfigDict.__annotations__]


def refused_response(step: ModuleType, fields: dict, missing: str) -> None:
    """Whether a response is refused that lacks something every engine knows."""
    try:
        got = repr(step.GenerateResponse(**fields))
    except ValidationError:
        return
    why = "with a default here a client reads a made-up figure where an engine gave none: give this field no default."
    field = step.GenerateResponse.model_fields.get("metrics")
    kinds = (field.annotation, *get_args(field.annotation)) if field is not None else ()
    if missing.startswith("metrics.") and any((get_origin(kind) or kind) is dict for kind in kinds):
        why = "a dictionary takes whatever it gets: declare the five figures that are always there, in a model of "
        why += "their own, without a dictionary beside it, and let that one take further names."
    expect(False, call=f"GenerateResponse(…) without {missing}", got=got, wanted="a ValidationError", why=why)
