"""Fixed readings of a generation, and the judging of the figures that step 5 makes of them. Needs no torch."""

from dataclasses import replace
from math import isclose, isfinite, isnan
from types import ModuleType, UnionType

from kata.causes import is_misspelt, sentence_on
from kata.failure import CheckFailure, expect
from shared.generation import Generation
from shared.metrics import ServingMetrics
from shared.result import GenerateResult
from tests.doubles.figure_slips import ROUNDED, Slips, is_rounded, scale_slip

FIGURES = ("throughput", "ttft_ms", "tpot_ms", "latency_ms")
READINGS = ((5, 0.3, 1.1), (3, 0.0125, 0.0625), (512, 0.123456789, 9.87654321))  # tokens, TTFT and latency in seconds
# What share of the latency passes before the first token, and how that is told.
SHARES = {0.0: "TTFT is 0", 0.25: "TTFT is a quarter of the latency", 1.0: "TTFT is the whole latency"}


def generation(tokens: int = 5, ttft_s: float | None = 0.3, latency_s: float = 1.1, **other: object) -> Generation:
    """One generation of so many tokens; `other` sets further fields."""
    readings = {"text": "a cat", "input_tokens": 7, "output_ids": list(range(11, 11 + tokens)), "finish_reason": "stop"}
    return Generation(**(readings | {"ttft_s": ttft_s, "latency_s": latency_s, "used_cache": True} | other))


def shown(of: Generation) -> str:
    """The call, as a learner would write it, with the readings that matter."""
    ids = of.output_ids if len(of.output_ids) <= 6 else f"[{len(of.output_ids)} ids]"
    return f"summarize(output_ids={ids}, ttft_s={of.ttft_s}, latency_s={of.latency_s})"


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
    slips: Slips | None = None,
    within: float = 0.0,
) -> None:
    """The figure is the wanted one, to what floats allow. `slips`: what was probably done, and what that gives."""
    within = within or (2e-8 if name == "throughput" else 1e-11)  # some add a trifle to the latency, and divide then
    value = figure(step, of, name)
    slip = next(
        (f"Probably {text}: " for text, wrong in (slips or {}).items() if isclose(value, wrong, rel_tol=1e-6)), ""
    )
    if not slip and value and is_rounded(value, wanted):
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


def expect_all_figures(step: ModuleType, of: Generation) -> None:
    """Each figure follows its formula, whatever the cache, the finish reason and TTFT's share of the latency are."""
    tokens, ttft, latency = len(of.output_ids), of.ttft_s, of.latency_s
    tpot = (latency - ttft) / (tokens - 1) if ttft is not None and tokens > 1 else 0.0
    why = "no other reading changes it, and no special case: "
    why += f"here {'there is no token, ' * (tokens == 0)}used_cache is {of.used_cache}, finish_reason "
    why += f"{of.finish_reason!r}" + (f", and {SHARES[ttft / latency]}." if ttft is not None else ".")
    expect_figure(step, of, "throughput", tokens / latency, why)
    expect_figure(step, of, "ttft_ms", 1000 * (ttft or 0.0), why)
    expect_figure(step, of, "tpot_ms", 1000 * tpot, why)
    expect_figure(step, of, "latency_ms", 1000 * latency, why)


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
