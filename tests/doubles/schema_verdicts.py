"""Asks the schemas of step 7 and judges the answer: accepted or refused, and what is left of a value on the way."""

from collections.abc import Callable
from types import ModuleType
from typing import get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from kata.failure import expect
from shared.sampling_params import SamplingParams

DEFAULTS = {"max_new_tokens": 128, "temperature": 0.0, "top_k": 50}
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
FIELDS = ("prompt", *DEFAULTS)
WHOLE = ("max_new_tokens", "max_tokens", "top_k")
TOO_LARGE_FOR_A_FLOAT = 10**400


def accepted(step: ModuleType, **fields: object) -> BaseModel:
    """The request with these fields, which must be accepted."""
    try:
        return step.GenerateRequest(**fields)
    except ValidationError as error:
        problem = first_error(error)
    why = "this request is within the bounds that the lesson gives: accept it."
    expect(False, call=as_call(fields), got=f"refused: {problem}", wanted="accepted", why=why)


def refused(step: ModuleType, why: str | Callable[[BaseModel], str], **fields: object) -> None:
    """Whether a request with these fields is refused, and by an error that FastAPI turns into a 422.

    why: the reason to give where it is accepted, or what finds it in the request that came out.
    """
    try:
        request = step.GenerateRequest(**fields)
    except ValidationError:
        return
    except NotImplementedError:
        raise
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
        why = (
            "only a ValidationError becomes a 422, anything else a 500: use Field, or raise ValueError in a validator."
        )
        if isinstance(error, OverflowError) and TOO_LARGE_FOR_A_FLOAT in fields.values():
            why = "JSON's numbers have no largest, and 10**400 fits in no float: float(…) and math.isfinite(…) raise "
            why += "an OverflowError, which becomes a 500. Let Field look at type and bounds before your code does."
    else:
        got = f"accepted, as {short(request)}"
        why = why(request) if callable(why) else why
    expect(False, call=as_call(fields), got=got, wanted="a ValidationError", why=why)


def check_bounds(step: ModuleType, field: str, inside: tuple, outside: tuple) -> None:
    """Whether the field takes every value inside as it is, and none outside."""
    for value in inside:
        request = accepted(step, prompt="Hello", **{field: value})
        call = f"{as_call({'prompt': 'Hello', field: value})}.{field}"
        why = "a setting within the bounds is taken as it is, the bounds themselves included."
        expect_number(getattr(request, field, None), value, call, why, whole=field in WHOLE)
    for value in (*outside, TOO_LARGE_FOR_A_FLOAT):
        why = f"{field}={short(value)} is outside the bounds of the lesson: refuse it, do not bend it."
        refused(step, why, prompt="Hello", **{field: value})


def expect_number(got: object, wanted: float, call: str, why: str, whole: bool = False) -> None:
    """whole: whether it must still be an int, since a whole number was sent where one belongs."""
    if whole and type(got) is float and got == wanted:
        why = "a whole number is an int: a field of type float makes 16.0 of 16, and range(16.0) raises. Say int."
    allowed = (int,) if whole else (int, float)
    expect(type(got) in allowed and got == wanted, call=call, got=repr(got), wanted=repr(wanted), why=why)


def check_params(step: ModuleType, **settings: float) -> None:
    """Whether the settings, or their defaults, arrive in the `SamplingParams`, and nothing else does."""
    wanted = DEFAULTS | settings
    call = as_call({"prompt": "Hello", **settings}) + ".to_sampling_params()"
    request = accepted(step, prompt="Hello", **settings)
    before, method = fields_of(request), request.to_sampling_params
    why = "to_sampling_params is a method, which a server calls: no property."
    expect(callable(method), call=call, got=f"no method, but {method!r}", wanted="SamplingParams", why=why)
    params = method()
    why = "every engine of this kata takes its settings as SamplingParams."
    wanted_type = "a shared.sampling_params.SamplingParams"
    expect(isinstance(params, SamplingParams), call=call, got=repr(params), wanted=wanted_type, why=why)
    for name, field in (("temperature", "temperature"), ("top_k", "top_k"), ("max_tokens", "max_new_tokens")):
        why = f"the setting {field} was lost on the way: "
        if name == "max_tokens":
            why += "the request's max_new_tokens is the engine's max_tokens."
        elif not wanted[field]:
            why += "0 is a value; `value or default` takes 0 for missing."
        else:
            why += f"hand it on, `{name}=self.{field}`."
        if field not in settings:
            why = f"a setting that the client left out has its default, and {name} is to have it too: hand it on."
        expect_number(getattr(params, name), wanted[field], f"{call}.{name}", why, whole=name in WHOLE)
    untouched = params.top_p == 1.0 and params.ignore_eos is False
    why = "a request does not speak of these two: leave them at their defaults."
    expect(untouched, call=call, got=repr(params), wanted="top_p=1.0, ignore_eos=False", why=why)
    after = fields_of(request)
    why = "the request is what the client sent, and may be asked again: to_sampling_params reads it, and changes or "
    why += "removes nothing in it. (`vars(self)` is the request itself, and no copy.)"
    expect(after == before, call=f"{call}; the request then", got=shown(after), wanted=shown(before), why=why)


def fields_of(request: BaseModel) -> dict:
    return {name: getattr(request, name) for name in FIELDS if hasattr(request, name)}


def check_params_of_their_own(step: ModuleType) -> None:
    """Whether each call gives params of its own: of one request twice, of equal ones, and of others."""
    why = "a request may still wait when another comes: whatever changes the params of one changes those of the other. "
    why += "Make new ones in each call."
    for first, second in (({"top_k": 3}, {"top_k": 7}), ({"top_k": 3}, {"top_k": 3}), ({"top_k": 3}, None)):
        request = accepted(step, prompt="Hello", **first)
        other = request if second is None else accepted(step, prompt="Hello", **second)
        one = request.to_sampling_params()
        call = f"one = {as_call({'prompt': 'Hello', **first})}.to_sampling_params()"
        lost = "the setting top_k was lost on the way, at the default temperature of 0: hand it on there too."
        expect_number(one.top_k, first["top_k"], f"{call}; one.top_k", lost)
        two = other.to_sampling_params()
        same = "the same request's again" if second is None else as_call({"prompt": "Hello", **second})
        expect(
            one is not two and one.top_k == first["top_k"],
            call=f"{call}; two = {same}.to_sampling_params()",
            got=f"one and two are the same object, {two}" if one is two else f"one is now {one}",
            wanted="an object of its own for each call",
            why=why,
        )


def prompt_limit(step: ModuleType) -> int:
    """The step's own bound for the prompt, which has bounds itself."""
    most = getattr(step, "MAX_PROMPT_CHARS", None)
    expect(
        type(most) is int and 4_096 <= most <= 1_000_000,
        call="MAX_PROMPT_CHARS",
        got=repr(most),
        wanted="a whole number from 4,096 to 1,000,000",
        why="a prompt needs an upper length that leaves room for pages of text and keeps one request small.",
    )
    return most


def response_json(step: ModuleType, text: str, metrics: dict) -> dict:
    """What a client reads of a response, which must be accepted: FastAPI sends a field under its alias."""
    call = f"GenerateResponse(text={text!r}, metrics={shown(metrics)})"
    try:
        response = step.GenerateResponse(text=text, metrics=dict(metrics))
    except ValidationError as error:
        why = "engines return this: ttft_ms, tpot_ms and finish_reason may be missing, the text empty, a reading 0.0, "
        why += "and what the schema does not name may be of any kind that JSON has."
        expect(False, call=call, got=f"refused: {first_error(error)}", wanted="accepted", why=why)
    body = TypeAdapter(step.GenerateResponse).dump_python(response, mode="json", by_alias=True)
    why = "a response is the text as it came, and the figures under `metrics`."
    if type(body) is dict and {"text", "metrics"} - set(body):
        why += " FastAPI sends a field under its alias: give it none."
    expect(
        type(body) is dict and type(body.get("metrics")) is dict and body.get("text") == text,
        call=f"{call}, as FastAPI sends it",
        got=body,
        wanted=f"an object with text={text!r} and an object of metrics",
        why=why,
    )
    return body


def expect_metrics(body: dict, metrics: dict, wanted: dict) -> None:
    """Whether the JSON's metrics hold all the wanted figures, each of its own kind: true is not 1."""
    got = body["metrics"]
    for name, figure in wanted.items():
        value = got.get(name)
        why = "the response carries every figure that the engine gave, unchanged, also those that the schema does not "
        why += "name: allow extra fields there."
        if name in NAMED:
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


def first_error(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def as_call(fields: dict) -> str:
    """The request as a learner would write it."""
    if all(name.isidentifier() for name in fields):
        return f"GenerateRequest({', '.join(f'{name}={short(value)}' for name, value in fields.items())})"
    return f"GenerateRequest(**{shown(fields)})"


def shown(fields: dict) -> str:
    """The fields as a dictionary, long values cut."""
    return "{" + ", ".join(f"{name!r}: {short(value)}" for name, value in fields.items()) + "}"


def short(value: object) -> str:
    text = repr(value)
    length = len(value if isinstance(value, str) else text)  # of the text itself, without its quotes
    return text if len(text) <= 120 else f"{text[:24]}…{text[-4:]} ({length:,} characters)"
