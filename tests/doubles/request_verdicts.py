"""What a request of step 7 takes, keeps and hands on: it is asked for one, and the values that come out are judged.

Each function is handed a solution's step 7 and raises a `CheckFailure`. What must not come out at all is judged in
`request_refusals.py`.
"""

from types import ModuleType

from pydantic import BaseModel

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.schema_calls import FINE, TOO_LARGE_FOR_A_FLOAT, accepted, as_call, refused, short, shown
from tests.doubles.texts import spelling, was_normalized

DEFAULTS = {"max_new_tokens": 128, "temperature": 0.0, "top_k": 50}
FIELDS = ("prompt", *DEFAULTS)
WHOLE = ("max_new_tokens", "max_tokens", "top_k")


def expect_number(got: object, wanted: float, call: str, why: str, whole: bool = False) -> None:
    """whole: whether it must still be an int, since a whole number was sent where one belongs."""
    if whole and type(got) is float and got == wanted:
        why = "a whole number is an int: a field of type float makes 16.0 of 16, and range(16.0) raises. Say int."
    allowed = (int,) if whole else (int, float)
    expect(type(got) in allowed and got == wanted, call=call, got=repr(got), wanted=repr(wanted), why=why)


def check_default(request: BaseModel, field: str, default: float) -> None:
    call, why = f"GenerateRequest(prompt='Hello').{field}", f"the default of {field} is {default}."
    expect_number(getattr(request, field, None), default, call, why, whole=field in WHOLE)


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
            if getattr(params, name) and _hands_on(step, field, name, 1e-9, getattr(params, name)):
                why = f"0 is a {field} of its own, and means greedy: do not raise it to a smallest value."
        elif getattr(params, name) != wanted[field] and _hands_on(step, field, name):
            why = f"the setting {field} is handed on, but not as it came: round nothing, take no small value for 0, "
            why += "and raise none to a smallest."
            if wanted[field] == DEFAULTS[field] and getattr(params, name) == getattr(SamplingParams(), name):
                why = f"the setting {field} is lost where it equals its default: hand it on there too, since "
                why += "SamplingParams has other defaults."
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


def _hands_on(step: ModuleType, field: str, name: str, value: float = 2, as_value: float = 2) -> bool:
    """Whether the setting arrives as the second value: a 2 is rounded by nothing, a tiny one is missing to no `or`."""
    return getattr(accepted(step, prompt="Hello", **{field: value}).to_sampling_params(), name) == as_value


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


def check_prompt(step: ModuleType, prompt: str) -> None:
    """Whether the prompt comes out as it went in."""
    got = getattr(accepted(step, prompt=prompt), "prompt", None)
    why = "spaces, line ends, all of it is part of a prompt (code, a poem): check it, do not strip or change it."
    spelled = repr
    if isinstance(got, str) and was_normalized(got, prompt):
        spelled = spelling(got, prompt)
        why = "its characters were composed or taken apart anew, as unicodedata.normalize does: it may look the same, "
        why += "but it is another text, of other tokens. Hand the prompt on as it came."
    expect(
        isinstance(got, str) and str.__eq__(got, prompt),
        call=f"GenerateRequest(prompt={spelled(prompt)}).prompt",
        got=spelled(got),
        wanted=spelled(prompt),
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


def check_longest_prompt(step: ModuleType, piece: str, most: int) -> None:
    """Whether a prompt of so many characters, the piece again and again, comes out whole."""
    call, wanted = f"GenerateRequest(prompt=({piece!r} * {most})[:{most}]).prompt", (piece * most)[:most]
    why = FINE
    if not piece.isascii():
        why = f"the bound counts characters, not bytes: {piece!r} is one character, of {len(piece.encode())} bytes."
    got = getattr(accepted(step, why, prompt=wanted), "prompt", None)
    why = "a prompt as long as it may be is handed on whole: refuse what is longer, and cut nothing."
    expect(got == wanted, call=call, got=short(got), wanted=short(wanted), why=why)


def check_json_schema(step: ModuleType, **bounds: tuple[tuple, tuple]) -> None:
    """Whether the JSON schema bounds the prompt, and admits of each field the first values and not the second."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(step.GenerateRequest.model_json_schema())
    most = prompt_limit(step)
    bodies: list[tuple[dict[str, object], bool]] = [({"prompt": "Hello"}, True), ({}, False), ({"prompt": 5}, False)]
    bodies += [({"prompt": "x" * most}, True), ({"prompt": "x" * (most + 1)}, False)]
    for field, (inside, outside) in bounds.items():
        bodies += [({"prompt": "Hello", field: value}, True) for value in inside]
        bodies += [({"prompt": "Hello", field: value}, False) for value in outside]
    properties = step.GenerateRequest.model_json_schema().get("properties", {})
    for body, valid in bodies:
        why = "clients and /docs read the schema: write types and bounds into the fields, where pydantic sees them, "
        why += "and not only into a validator's code."
        if not valid and any("anyOf" in properties.get(field, {}) for field in body):
            why = "bounds in the `Field` of a union (`int | float`) do not reach its members' schemas: give the field "
            why += "one type, or each member its own bounds."
        expect(
            validator.is_valid(body) is valid,
            call=f"GenerateRequest.model_json_schema(), asked about {shown(body)}",
            got="the schema refuses it" if valid else "the schema admits it",
            wanted="admitted" if valid else "refused",
            why=why,
        )
