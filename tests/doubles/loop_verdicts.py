"""Verdicts on ids, and on the model's calls that they came from: what was got beside what is wanted."""

from collections.abc import Callable, Sequence

from kata.failure import expect
from tests.doubles.calls import Call, trace


def ids_text(ids: Sequence[int], of: str = "") -> str:
    """Ids in a few characters: `[97, 98]`, or `83 ids, the last ones [108, 97, 98, 99]`; a mask is `a mask of 83`.

    of: the argument that they were, where they are no ids.
    """
    if of == "attention_mask":
        hidden = list(ids).count(0)
        return f"a mask of {len(ids)}" + (f", {hidden} of them 0" if hidden else "")
    kind = "positions" if of == "position_ids" else "ids"
    return str(list(ids)) if len(ids) <= 8 else f"{len(ids)} {kind}, the last ones {list(ids[-4:])}"


def difference(got: Sequence[int], wanted: Sequence[int], of: str = "") -> tuple[str, str]:
    """Both as text; where that looks alike, with the first place at which they differ."""
    texts = ids_text(got, of), ids_text(wanted, of)
    if texts[0] != texts[1] or list(got) == list(wanted):
        return texts
    at = next(at for at, pair in enumerate(zip(got, wanted, strict=True)) if pair[0] != pair[1])
    return f"{texts[0]}, and {got[at]} at place {at}", f"{texts[1]}, and {wanted[at]} at place {at}"


def told_with_use_cache(call: Call) -> str:
    """The call, where it is about the cache that was asked for."""
    return f"{call}, use_cache={call.use_cache}"


def expect_calls(
    calls: Sequence[Call],
    wrong: int | None,
    *,
    call: str,
    got: str,
    wanted: str,
    why: str,
    of: str = "",
    tell: Callable[[Call], str] = str,
) -> None:
    """No call of the model is wrong; else the failure shows the calls up to the first wrong one.

    of: the argument of that call which is judged, where it is one. tell: what is said of a call.
    """
    if wrong is None:
        return
    place = f"call {wrong + 1} of the model"
    where = f"{of} in {place}, {call}" if of else f"{place} in {call}"
    expect(False, call=where, got=got, wanted=wanted, why=why, trace=trace(calls, wrong, tell))


def expect_each(
    calls: Sequence[Call],
    got: Sequence[Sequence[int] | None],
    wanted: Sequence[Sequence[int]],
    *,
    call: str,
    why: str,
    of: str = "",
) -> None:
    """What each call got (`got`, one entry a call) is what it should have got. of: which argument, if not the ids."""
    for at, (mine, right) in enumerate(zip(got, wanted, strict=True)):
        texts = difference(mine, right, of) if mine is not None else ("None", ids_text(right, of))
        wrong = None if mine == right else at
        expect_calls(calls, wrong, call=call, got=texts[0], wanted=texts[1], why=why, of=of)


def counted(number: int, what: str) -> str:
    """`1 token`, `2 tokens`."""
    return f"{number} {what}{'s' * (number != 1)}"


def expect_counts(calls: Sequence[Call], tokens: int, wanted: int, *, call: str, why: str = "") -> None:
    """So many tokens from as many calls of the model. why: what there is to say of too few of both."""
    if tokens > len(calls):
        why = "more tokens than calls: each comes from a call of the model, none from an earlier answer. A list that "
        why += "is a default argument, or the module's, is made only once."
    elif tokens < len(calls):
        why = "each call of the model gives one token: one more is work thrown away. Ask only while a token is wanted."
    elif tokens > wanted:
        why = "a token that nobody asked for: the limit counts all of them, the first one, the prefill's, as well."
    elif not why:
        why = "a token is missing: n tokens are n rounds, counted from 0 and ended before n, or from 1 and with n."
    expect(
        (tokens, len(calls)) == (wanted, wanted),
        call=call,
        got=f"{counted(tokens, 'token')} from {counted(len(calls), 'call')} of the model",
        wanted=f"{counted(wanted, 'token')} from {counted(wanted, 'call')}",
        why=why,
        trace=trace(calls, min(wanted, len(calls))),
    )


def expect_no_graph(calls: Sequence[Call], *, call: str, why: str) -> None:
    """No call of the model recorded a graph for gradients."""
    graphs = [each.grad for each in calls]
    got = f"{sum(graphs)} of {len(calls)} calls record a graph"
    shown = trace(calls, graphs.index(True), _told_with_graph) if any(graphs) else ()
    expect(not any(graphs), call=call, got=got, wanted="0 calls record a graph", why=why, trace=shown)


def _told_with_graph(call: Call) -> str:
    return f"{call}, {'a' if call.grad else 'no'} graph"


def expect_ids(
    got: Sequence[int],
    wanted: Sequence[int],
    *,
    call: str,
    why: str,
    calls: Sequence[Call] = (),
    varies: bool = False,
) -> None:
    """These ids; else the failure shows the model's calls up to the one that the first wrong id came from.

    varies: they hang on chance, or on the machine, as those of a real model's near ties do.
    """
    same = list(got) == list(wanted)
    pairs = zip(got, wanted, strict=False)
    wrong = next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(got), len(wanted)))
    shown = trace(calls, min(wrong, len(calls) - 1)) if calls else ()
    texts = difference(got, wanted)
    if list(got) == [1] * len(wanted):
        why = "these are the mask's ones: `inputs` is a mapping, read by its names, `inputs['input_ids']`. The order "
        why += "of its values is nobody's promise, nor how many they are."
    expect(same, call=call, got=texts[0], wanted=texts[1], why=why, trace=shown, varies=varies)


def taken_for_an_eos(half: int, eos: int) -> str:
    """Why an answer that ended at one half of a character ended there: another half is an EOS."""
    return (
        f"it ended at {half}, which is no EOS: compare ids, and never their text, for by themselves {half} and {eos}, "
        "which is one, are both decoded to U+FFFD."
    )
