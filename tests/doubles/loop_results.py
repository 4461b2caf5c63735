"""The strict reading of what a token loop hands back: its type, and the plain values in it."""

from typing import Any

from kata.failure import expect
from shared.generation import Generation

FIELD_TYPES = {
    "text": (str,),
    "input_tokens": (int,),
    "finish_reason": (str,),
    "ttft_s": (float, int, type(None)),
    "latency_s": (float, int),
    "used_cache": (bool,),
}


def as_generation(value: Any, call: str) -> Generation:
    """The value, once it is proved to be a `Generation` of plain values."""
    why = "the result is a Generation (shared/generation.py): metrics and server read its fields, as plain values."
    expect(isinstance(value, Generation), call=call, got=type(value).__name__, wanted="Generation", why=why)
    as_ids(value.output_ids, f"{call}.output_ids")
    for name, kinds in FIELD_TYPES.items():
        field = getattr(value, name)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        expect(type(field) in kinds, call=f"{call}.{name}", got=f"{type(field).__name__}", wanted=wanted, why=why)
    return value


def as_ids(value: Any, call: str) -> list[int]:
    """The value, once it is proved to be a list of plain ints."""
    kinds = sorted({type(each).__name__ for each in value}) if isinstance(value, list | tuple) else []
    expect(
        type(value) is list and kinds in ([], ["int"]),
        call=call,
        got=type(value).__name__ + (f" of {', '.join(kinds)}" if kinds else ""),
        wanted="list of int",
        why="ids are plain ints from here on: `.item()` or `.tolist()` makes them of a tensor; JSON takes no other.",
    )
    return value


def take(tokens: Any, count: int, call: str) -> list[int]:
    """Up to `count` ids from an iterator of a solution, proved to be plain ints."""
    why = "decode_tokens returns an iterator, such as a generator function makes: its caller takes token after token."
    got = type(tokens).__name__
    expect(hasattr(type(tokens), "__next__"), call=call, got=got, wanted="an iterator", why=why)
    return as_ids([token for _, token in zip(range(count), tokens, strict=False)], f"list({call})")
