"""The times that `generate_uncached` and `generate_cached` report, on a clock in the check's hands."""

from collections.abc import Callable
from typing import Any

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.clock import FakeClock
from tests.doubles.fast_tokenizer import IM_END, IM_START
from tests.doubles.loop_runs import Generate, run
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import hashed

DRAWN = SamplingParams(temperature=0.8)
ANSWERS = (1, 1), (4, 4), (4, 1), (4, 3)  # limits, and how many tokens there are: an EOS ends the last two
SAID = [IM_START, IM_START, 107, 107, 107, IM_END, 107, 107, IM_END]  # the first token may have no text

APART = "in another thread than the one that makes the tokens, which goes on meanwhile"


def reads_the_clock(
    load_generate: Callable[[Callable[[], None], Callable[[], None]], Generate],
    clock: FakeClock,
    ttft_may_be_none: bool,
) -> None:
    """load_generate: loads the step on a step 1 and a step 2 that call the functions it is handed.

    That step 2 says `SAID`, again and again.
    """
    prepare_s = prefill_s = decode_s = draw_s = 0.0

    def work(call: Any) -> None:
        clock.advance(prefill_s if len(model.calls) == 1 else decode_s)

    generate = load_generate(lambda: clock.advance(prepare_s), lambda: clock.advance(draw_s))
    cases = (0.5, 3.0012345, 1.0000321, 0.125), (0.0, 0.0, 1.0, 0.0), (0.25, 1500.5, 2.0, 0.75)
    for prepare_s, prefill_s, decode_s, draw_s in cases:
        for limit, tokens in ANSWERS:
            model, started = ScriptedModel(hashed(), on_call=work), clock.now()
            clock.readers.clear()
            result, call = run(generate, model, max_new_tokens=limit, params=DRAWN)
            took = f"preparing took {prepare_s} s, the prefill {prefill_s} s, each later call {decode_s} s, each draw "
            took += f"{draw_s} s"
            ttft_s = prepare_s + prefill_s + draw_s
            latency_s, second_s = ttft_s + (tokens - 1) * (decode_s + draw_s), ttft_s + decode_s + draw_s
            slips = {
                "this one began after the prompt had been prepared: ": latency_s - prepare_s,
                "this one ended before the last token had been drawn: ": latency_s - draw_s,
            }
            if tokens < limit:
                before_s = latency_s - decode_s - draw_s if tokens > 1 else 0.0
                slips["this one ended before the EOS, which is a token like any other: "] = before_s
            _expect_latency(result.latency_s, latency_s, slips, started, call, took)
            if not (result.ttft_s is None and ttft_may_be_none):
                others = {
                    "before the prefill had run": prepare_s,
                    "on a clock that began after the prompt had been prepared": ttft_s - prepare_s,
                    "when the model had answered, before a token was drawn": prepare_s + prefill_s,
                    "again, at the last token": latency_s,
                    "at the second token (the first one counts also where it has no text)": second_s,
                }
                if clock.readers.isdisjoint(each.thread for each in model.calls):
                    others = {APART: result.ttft_s}
                _expect_ttft(result.ttft_s, ttft_s, others, started, call, took, ttft_may_be_none)


def _expect_latency(
    latency_s: float, wanted_s: float, slips: dict[str, float], started: float, call: str, took: str
) -> None:
    """slips: what to say of other readings. took: the times that make up the right one."""
    guess = _slip(latency_s, wanted_s, started)
    guess = guess or next((told for told, reading in slips.items() if _is(latency_s, reading)), "")
    expect(
        _is(latency_s, wanted_s),
        call=f"latency_s of {call}",
        got=_shown(latency_s, wanted_s),
        wanted=f"{wanted_s:.7g} s; {took}",
        why=f"{guess}latency runs from the arrival of the request, before the prompt is prepared, to the last token, "
        "in seconds and not rounded, on a monotonic clock such as shared.clock.now().",
    )


def _expect_ttft(
    ttft_s: float | None,
    wanted_s: float,
    others: dict[str, float],
    started: float,
    call: str,
    took: str,
    may_be_none: bool,
) -> None:
    """others: what the clock said at other moments."""
    read = next((when for when, reading in others.items() if ttft_s is not None and _is(ttft_s, reading)), "")
    if wanted_s == 0.0 and APART not in others:
        why = "the clock stood still until the first token, and 0.0 is a reading: `ttft_s or …` reads it again later."
    else:
        why = f"this one was read {read}: " if read else ""
        if ttft_s is None:
            why = "it was never read. An answer of a single token has a first token too, and an EOS is one: "
        why += "TTFT runs from the arrival of the request until the first token is there, and is read once, at that "
        why += "token; 0.0 would be a reading, not 'not measured'."
    expect(
        ttft_s is not None and _is(ttft_s, wanted_s),
        call=f"ttft_s of {call}",
        got="None" if ttft_s is None else _shown(ttft_s, wanted_s),
        wanted=f"{wanted_s:.7g} s" + (", or None for 'not measured'" if may_be_none else "") + f"; {took}",
        why=("" if ttft_s is None else _slip(ttft_s, wanted_s, started)) + why,
    )


def _is(reading: float, other: float) -> bool:
    return abs(reading - other) < 1e-6


def _shown(reading: float, wanted_s: float) -> str:
    """A reading as text; one of another clock than the check's hardly moves, and is never the same."""
    return "hardly any time" if 0.0 < reading < min(0.4, wanted_s / 2) else f"{reading:.7g} s"


def _slip(reading: float, wanted_s: float, started: float) -> str:
    """What there is to say of a reading that a well-known slip explains; else nothing."""
    if _is(reading, started + wanted_s):
        return "clock.now() is a point in time, and a reading is a length of time: subtract `started`, the arrival's. "
    if wanted_s >= 60 and _is(reading, wanted_s % 60):
        return "whole minutes are lost: "
    if wanted_s and _is(reading, 1000 * wanted_s):
        return "these are milliseconds: "
    if not _is(reading, wanted_s) and any(reading == round(wanted_s, places) for places in range(6)):
        return "this one is rounded: "
    if _shown(reading, wanted_s) == "hardly any time":
        return "this is another clock than the check's (time.time(), the time of day, may jump): "
    return ""
