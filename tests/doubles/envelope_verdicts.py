"""Verdicts on the envelope of step 5 around the figures: what goes through it, its JSON, and what calls leave alone.

Each function is handed a solution's step 5 and raises a `CheckFailure` where it breaks the promise.
"""

import json
from copy import deepcopy
from dataclasses import asdict
from types import ModuleType
from unicodedata import normalize

from kata.failure import expect
from shared.generation import Generation
from tests.doubles.figure_slips import scale_slip
from tests.doubles.readings import generation, result_of, shown

ABSENT = "left out"


def expect_handed_through(step: ModuleType, of: Generation) -> None:
    """Text, ids, prompt tokens, cache use and finish reason are the generation's own, each id a plain int."""
    result = result_of(step, of)
    got = {
        "text": result.text,
        "output_ids": result.output_ids,
        "input_tokens": result.metrics.input_tokens,
        "used_cache": result.metrics.used_cache,
        "finish_reason": result.metrics.finish_reason,
    }
    wanted = {name: getattr(of, name) for name in got}
    differing = [name for name in got if type(got[name]) is not type(wanted[name]) or got[name] != wanted[name]]
    why = "`summarize` adds figures; what the loop knows already goes through as it is: no strip, no new reason."
    if "text" not in differing:
        why += " None of it follows from the others: not from the number of tokens, nor from what was measured."
    looks_alike = isinstance(result.text, str) and normalize("NFKC", result.text) == normalize("NFKC", of.text)
    expect(
        not differing,
        call=shown(of),
        got=", ".join(f"{name}={_told(got[name], looks_alike)}" for name in differing),
        wanted=", ".join(f"{name}={_told(wanted[name], looks_alike)}" for name in differing),
        why=why,
    )
    expect(
        all(type(id) is int for id in got["output_ids"]),
        call=shown(of),
        got=f"output_ids={_told(result.output_ids)}",
        wanted=f"output_ids={_told(of.output_ids)}",
        why="each id is a plain int, as it came: 5.0 is no id, and an np.int64 or a tensor is no JSON.",
    )


def _told(value: object, by_codes: bool = False) -> str:
    """The value as Python writes it, a long one without its middle. by_codes: for letters that look alike."""
    text = ascii(value) if by_codes else repr(value)
    return text if len(text) <= 300 else f"{text[:40]} ... {text[-20:]}"


def expect_json(step: ModuleType, of: Generation, wanted: dict[str, object]) -> None:
    """What `as_dict()` gives is the wanted dictionary once it has been JSON."""
    figures = result_of(step, of).metrics.as_dict()
    call = f"{shown(of)}.metrics.as_dict()"
    why = "the server sends this: give `ServingMetrics` plain numbers, and 0.0 for what was not measured. "
    why += "`as_dict` itself is the contract's."
    try:
        got = json.loads(json.dumps(figures, allow_nan=False))
    except (TypeError, ValueError) as error:
        expect(False, call=call, got=f"no JSON: {error}", wanted=wanted, why=why)
    differing = [name for name in wanted | got if got.get(name, ABSENT) != wanted.get(name, ABSENT)]
    slips = [scale_slip(name, got[name], wanted[name]) for name in differing if name in got and name in wanted]
    expect(
        not differing,
        call=call,
        got=", ".join(f"{name}: {got.get(name, ABSENT)}" for name in differing),
        wanted=", ".join(f"{name}: {wanted.get(name, ABSENT)}" for name in differing),
        why="".join(slips[:1]) + why,
    )


def keeps_results_apart(step: ModuleType) -> None:
    """A result stays as it was when another is made, and comes out again as it was when the caller has changed it."""
    first, second = generation(), generation(tokens=2, ttft_s=None, latency_s=4.0, text="other", used_cache=False)
    kept = asdict(first)
    result = step.summarize(first)
    before = asdict(result)
    step.summarize(second)
    expect(
        asdict(result) == before,
        call="summarize(first), then summarize(second): the first result",
        got=asdict(result),
        wanted=before,
        why="each result needs metrics of its own: nothing may be kept and filled again between two calls.",
    )
    result.metrics.output_tokens = -1
    again = step.summarize(first)
    expect(
        asdict(again) == before and asdict(first) == kept,
        call="summarize(first) again",
        got=f"{asdict(again)}, from the generation {asdict(first)}",
        wanted=f"{before}, from the generation {kept}",
        why="a call works out its figures from its own generation, and changes nothing in it.",
    )


def expect_left_alone(step: ModuleType, of: Generation) -> None:
    """The generation has after the call the fields and values that it had before."""
    call, kept = shown(of), deepcopy(vars(of))
    step.summarize(of)
    left = vars(of)
    changed = [name for name in kept | left if kept.get(name, ABSENT) != left.get(name, ABSENT)]
    expect(
        not changed,
        call=f"{call}: the generation afterwards",
        got=", ".join(f"{name}: {left.get(name, ABSENT)}" for name in changed),
        wanted=", ".join(f"{name}: {kept.get(name, 'no such field')}" for name in changed),
        why="guard the division, not the reading: what is written into the generation, others read as measured.",
    )
