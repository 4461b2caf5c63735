"""Stand-ins for the steps under a token loop, and the strict reading of what a loop hands back."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from kata.failure import CheckFailure, expect
from shared.generation import Generation
from shared.sampling_params import SamplingParams
from tests.doubles.calls import Call, trace
from tests.doubles.fast_tokenizer import Encoding

FIELD_TYPES = {
    "text": (str,),
    "input_tokens": (int,),
    "finish_reason": (str,),
    "ttft_s": (float, int, type(None)),
    "latency_s": (float, int),
    "used_cache": (bool,),
}


def inputs_of(ids: Sequence[int]) -> Encoding:
    """What step 1 returns, for these ids: a mapping, which is read by its names, as its order is nobody's promise."""
    row = torch.tensor([list(ids)], device="cpu")
    return Encoding(attention_mask=torch.ones_like(row), input_ids=row)


def step_1_giving(real: ModuleType, ids: Sequence[int], on_ask: Callable[[], None] = lambda: None) -> ModuleType:
    """A step 1 whose prompts are always these ids; `asked` keeps (tokenizer, model, user_prompt, system_prompt).

    Whatever else the learner's own step 1 has is still there.
    """
    spy = _over(real)
    spy.asked = []

    def prepare_inputs(tokenizer: Any, model: Any, user_prompt: str, system_prompt: str | None = None) -> Encoding:
        spy.asked.append((tokenizer, model, user_prompt, system_prompt))
        on_ask()
        return inputs_of(ids)

    spy.prepare_inputs = prepare_inputs
    return spy


@dataclass
class Draw:
    """One question to the sampler, copied."""

    logits: Tensor
    params: SamplingParams
    generator: torch.Generator | None


def step_2_giving(real: ModuleType, answers: Sequence[int], on_ask: Callable[[], None] = lambda: None) -> ModuleType:
    """A step 2 that answers with these ids, one after the other; `asked` keeps what it was handed."""
    spy = _over(real)
    spy.asked = []

    def sample_next_token(logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None) -> Tensor:
        answer = answers[len(spy.asked) % len(answers)]
        spy.asked.append(Draw(logits.detach().clone(), replace(params), generator))
        on_ask()
        return torch.full((1, 1), answer, dtype=torch.int64, device=logits.device)

    spy.sample_next_token = sample_next_token
    return spy


def step_2_watched(real: ModuleType) -> ModuleType:
    """The step 2 itself; `shapes` keeps the shapes of the logits that it was handed."""
    spy = _over(real)
    spy.shapes = []

    def sample_next_token(logits: Tensor, *others: Any, **options: Any) -> Tensor:
        spy.shapes.append(tuple(getattr(logits, "shape", ())))
        return real.sample_next_token(logits, *others, **options)

    spy.sample_next_token = sample_next_token
    return spy


@contextmanager
def told_of_the_sampler(shapes: Sequence[tuple[int, ...]]) -> Iterator[None]:
    """An error in this block is a verdict where the sampler was handed logits of a shape that it does not take.

    shapes: those that a `step_2_watched` keeps.
    """
    try:
        yield
    except CheckFailure:
        raise
    except Exception as error:
        if not shapes or (len(shapes[-1]) == 2 and shapes[-1][0] == 1):
            raise
        why = "the sampler takes the newest position's logits with their batch dimension and without that of the "
        why += "positions, `logits[:, -1, :]`: a slice such as `-1:` keeps it."
        got = f"logits of shape {shapes[-1]}, and then {type(error).__name__}: {error}"
        call, wanted = "sample_next_token(logits, params)", "logits of shape (1, vocab)"
        raise CheckFailure(call=call, got=got, wanted=wanted, why=why) from error


def _over(real: ModuleType) -> ModuleType:
    """An empty module that falls back on another one."""
    spy = ModuleType(real.__name__)
    spy.__getattr__ = lambda name: getattr(real, name)
    return spy


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
