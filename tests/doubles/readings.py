"""Fixed readings of a generation, and the judging of the figures that step 5 makes of them. Needs no torch."""

import struct
from collections.abc import Sequence
from dataclasses import replace
from math import isclose, isfinite, isnan
from types import ModuleType, UnionType

from kata.causes import is_misspelt, sentence_on
from kata.failure import CheckFailure, expect
from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult

FIGURES = ("throughput", "ttft_ms", "tpot_ms", "latency_ms")
ROUNDED = "Probably it is rounded on the way, as a float32, a timedelta or whole nanoseconds are, and only `as_dict()` "
ROUNDED += "rounds: "
READINGS = ((5, 0.3, 1.1), (3, 0.0125, 0.0625), (512, 0.123456789, 9.87654321))  # tokens, TTFT and latency in seconds


def generation(tokens: int = 5, ttft_s: float | None = 0.3, latency_s: float = 1.1, **other: object) -> Generation:
    """One generation of so many tokens; `other` sets further fields."""
    readings = {"text": "a cat", "input_tokens": 7, "output_ids": list(range(11, 11 + tokens)), "finish_reason": "stop"}
    return Generation(**(readings | {"ttft_s": ttft_s, "latency_s": latency_s, "used_cache": True} | other))


def shown(of: Generation) -> str:
    """The call, as a learner would write it, with the readings that matter."""
    ids = of.output_ids if len(of.output_ids) <= 6 else f"[{len(of.output_ids)} ids]"
    return f"summarize(output_ids={ids}, ttft_s={of.ttft_s}, latency_s={of.latency_s})"


def told(value: object, by_codes: bool = False) -> str:
    """The value as Python writes it, a long one without its middle. by_codes: for letters that look alike."""
    text = ascii(value) if by_codes else repr(value)
    return text if len(text) <= 300 else f"{text[:40]} ... {text[-20:]}"


def result_of(step: ModuleType, of: Generation) -> GenerateResult:
    """What the solution makes of a copy of the generation; it must be of the contract's types."""
    try:
        result = step.summarize(replace(of, output_ids=list(of.output_ids)))
    except ZeroDivisionError as error:
        raise CheckFailure(
            call=shown(of),
            got=f"ZeroDivisionError: {error}",
            wanted="a GenerateResult",
            why="a clock can read no time, and one token has no n - 1: guard the divisions by latency and by n - 1.",
        ) from error
    except (TypeError, ValueError, AttributeError, LookupError, AssertionError) as error:
        raise CheckFailure(
            call=shown(of),
            got=f"{type(error).__name__}: {error}",
            wanted="a GenerateResult",
            why=(sentence_on(error) if is_misspelt(error) else "")
            or "these readings can be: an answer without a token, a TTFT that nobody measured. The contract has "
            "figures for them, and no error.",
        ) from error
    kind = type(result).__name__
    metrics = getattr(result, "metrics", None)
    expect(
        isinstance(result, GenerateResult) and isinstance(metrics, ServingMetrics),
        call=shown(of),
        got=f"{kind} with metrics of type {type(metrics).__name__}" if metrics is not None else kind,
        wanted="GenerateResult with metrics of type ServingMetrics",
        why="every engine behind the server returns this envelope, and only `ServingMetrics` has latency, cache "
        "use and finish reason.",
    )
    return result


def figure(step: ModuleType, of: Generation, name: str) -> float:
    """One figure of the metrics, a plain number."""
    kinds = int if name == "output_tokens" else int | float
    return plain_number(getattr(result_of(step, of).metrics, name), f"{shown(of)}.metrics.{name}", kinds)


def plain_number(value: object, call: str, kinds: type | UnionType = int | float) -> float:
    """The value as a Python number, if it is one that JSON knows."""
    expect(
        isinstance(value, kinds) and not isinstance(value, bool),
        call=call,
        got=f"{value!r} ({type(value).__name__})",
        wanted="a plain int" if kinds is int else "a plain number",
        why="the figures go into JSON: hand over numbers, not text, tensors or None (0.0 says `not measured`).",
    )
    return int(value) if kinds is int else float(value)


def expect_figure(
    step: ModuleType,
    of: Generation,
    name: str,
    wanted: float,
    why: str,
    slips: dict[str, float] | None = None,
    within: float = 0.0,
) -> None:
    """The figure is the wanted one, to what floats allow. `slips`: what was probably done, and what that gives."""
    within = within or (2e-8 if name == "throughput" else 1e-11)  # some add a trifle to the latency, and divide then
    value = figure(step, of, name)
    slip = next(
        (f"Probably {text}: " for text, wrong in (slips or {}).items() if isclose(value, wrong, rel_tol=1e-6)), ""
    )
    if not slip and value and _is_rounded(value, wanted):
        slip = ROUNDED
    elif not slip and name == "throughput" and 0.999 * wanted < value < wanted:
        slip = "Is something added to the latency? "
    elif not slip and isclose(value, wanted, rel_tol=1e-5):
        slip = ROUNDED
    elif isnan(value):
        slip = "NaN is no JSON, and no sign of the contract's: "
    slip = scale_slip(name, value, wanted, within) or slip
    is_right = isclose(value, wanted, rel_tol=within)
    if not is_right and repr(figure(step, of, name)) != repr(value):  # a NaN is no other NaN
        slip = "it is another figure at each call, so something of earlier calls is kept: "
    elif not is_right and isclose(figure(step, replace(of, text=f"{of.text}\u200b"), name), wanted, rel_tol=within):
        slip = "an earlier call's result was given back, found by its text: "
    expect(
        is_right,
        call=f"{shown(of)}.metrics.{name}",
        got=repr(value),
        wanted=f"{wanted:.7g}" if not isclose(value, wanted, rel_tol=1e-6) else repr(wanted),
        why=slip + why,
    )


def _is_rounded(value: float, wanted: float) -> bool:
    as_float32 = struct.unpack("f", struct.pack("f", wanted))[0]
    places = (round(wanted, digits) for digits in range(13))
    return value in {as_float32, *places, *(float(f"{wanted:.{digits}g}") for digits in range(6, 12))}


def scale_slip(name: str, value: float, wanted: float, within: float = 1e-6) -> str:
    """What to say first of a value that is 1000 times off, or nothing."""
    small, large = ("in seconds", "in microseconds") if name.endswith("_ms") else ("per millisecond", "1000 times off")
    for unit, factor in ((small, 1000), (large, 1 / 1000)):
        if wanted and isclose(value * factor, wanted, rel_tol=within):
            return f"{value:.4g}: is this {unit}? "
    return ""


def expect_finite(step: ModuleType, of: Generation, why: str) -> None:
    for name in FIGURES:
        value = figure(step, of, name)
        expect(
            isfinite(value) and value >= 0,
            call=f"{shown(of)}.metrics.{name}",
            got=repr(value),
            wanted="a finite number, not negative",
            why=f"{why} NaN and infinity are no JSON, and a negative time is no time.",
        )


def percentile_of(step: ModuleType, values: Sequence[float], q: float, kind: type[Sequence] = list) -> float:
    """The solution's percentile of a copy of the values, a plain number."""
    left, right = "[]" if kind is list else "()"
    call = f"percentile({left}{len(values)} values{right}, {q})"
    try:
        return plain_number(step.percentile(kind(values), q), call)
    except (AttributeError, TypeError) as error:
        if kind is list:
            raise
        got, wanted = f"{type(error).__name__}: {error}", "a number, as of a list"
        why = "`values` is any sequence, and a copy of a tuple is a tuple, which has no `sort`: `sorted(values)` takes "
        why += "them all."
        raise CheckFailure(call=call, got=got, wanted=wanted, why=why) from error
    except IndexError as error:
        why = "the index is beyond the last value: q counts from 0 to 100, and Python's places from 0 to n - 1."
        raise CheckFailure(call=call, got=f"IndexError: {error}", wanted="a number", why=why) from error


def percentile_slip(step: ModuleType) -> str:
    """What there is to say of a percentile that a well-known slip explains; else nothing."""
    values, told = [5.0 * rank for rank in range(11)], {}
    try:
        for q in (0.5, 9, 15, 33, 66, 88, 99.9):
            told[q] = float(step.percentile(list(values), q))
    except Exception:
        return ""
    if told[0.5] == 25.0 and told[33] == 50.0:
        return "q is taken from 0 to 1 here: "
    if told[0.5] == 25.0:
        return "a small q is taken for a share of 1 here: q runs from 0 to 100, 1 is one percent, 0.5 half of one: "
    if told[0.5] > told[66] or told[99.9] < told[66]:
        return "it is counted from the wrong end here: the smallest comes first, and index -1 is the last: "
    whole, part = (float(step.percentile([float(rank) for rank in range(1001)], q)) for q in (33, 33.9))
    if whole == part:
        return "q is cut to a whole number here, and 99.9 is another place than 99: "
    if all(got == values[max(int(q * 11 / 100) - 1, 0)] for q, got in told.items()):
        return "the place is cut off to a whole one here: "
    return ""
