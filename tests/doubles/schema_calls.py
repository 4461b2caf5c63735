"""Asks step 7 for a request, which is to be accepted or refused, and tells the call, its values and its error."""

from collections.abc import Callable
from types import ModuleType

from pydantic import BaseModel, ValidationError

from kata.failure import expect

TOO_LARGE_FOR_A_FLOAT = 10**400
FINE = "this request is within the bounds that the lesson gives: accept it."


def accepted(step: ModuleType, why: str = FINE, /, **fields: object) -> BaseModel:
    """The request with these fields, which must be accepted. why: what to say of a refusal that says less itself."""
    try:
        return step.GenerateRequest(**fields)
    except ValidationError as error:
        problem = error
    if problem.errors()[0]["type"] == "string_pattern_mismatch":
        why = "one character that is no space, at any place in the prompt, is enough, and this pattern asks for more: "
        why += "look in it for `^` (the beginning alone), `.` (no line end), `\\w` (no sign, no 😀)."
    expect(False, call=as_call(fields), got=f"refused: {first_error(problem)}", wanted="accepted", why=why)


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
