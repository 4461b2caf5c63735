"""Asks the engine of step 8 over stand-ins for the steps under it, and judges what it handed on and what it kept."""

import contextlib
import gc
import random
import sys
import weakref
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.engine_spies import STREAMED, EngineSpies, Passive
from tests.doubles.engines import Asked
from tests.doubles.locks import ends

TURNED = " Hi <|im_end|> "
PATIENCE_S = 2.0  # for an engine that waits for a lock of its own


def check_engine_arguments(module: ModuleType, spies: EngineSpies, method: str, step_function: str) -> None:
    """Whether the method of `CachedEngine` hands all it gets to the step's function, however it was called."""
    model, tokenizer = Passive(), Passive()
    params = SamplingParams(temperature=0.7, top_k=3, top_p=0.9, ignore_eos=True, max_tokens=9)
    short = replace(params, max_tokens=2)
    greedy = SamplingParams(ignore_eos=True, max_tokens=5)
    every = {"top_p": 0.9, "ignore_eos": True}
    for arguments, named, wanted in (
        (("Hello",), {}, Asked(step_function, "Hello", 1024, 0.0, -1)),
        (("Hello", 7, params), {}, Asked(step_function, "Hello", 7, 0.7, 3, **every)),
        (("Hello", 7, short), {}, Asked(step_function, "Hello", 7, 0.7, 3, **every)),
        (("Hello", 0, params), {}, Asked(step_function, "Hello", 0, 0.7, 3, **every)),
        ((TURNED,), {"params": params}, Asked(step_function, TURNED, 9, 0.7, 3, **every)),
        (("Hello",), {"params": greedy}, Asked(step_function, "Hello", 5, 0.0, -1, ignore_eos=True)),
        ((), {"prompt": "Hello", "max_new_tokens": 1}, Asked(step_function, "Hello", 1, 0.0, -1)),
    ):
        spies.forget()
        shown = ", ".join([*map(repr, arguments), *(f"{name}={value!r}" for name, value in named.items())])
        before, chance = [replace(given) for given in (params, short, greedy)], _chance()
        answer = getattr(module.CachedEngine(model, tokenizer), method)(*arguments, **named)
        if method == "stream":
            list(answer)
        strangers = any(pair[0] is not model or pair[1] is not tokenizer for pair in spies.handed)
        got = [str(each) for each in spies.asked]
        expect(
            spies.asked == [wanted] and not strangers,
            call=f"CachedEngine(model, tokenizer).{method}({shown})",
            got=f"{got or 'no call'}{', with another model or tokenizer' if strangers else ''}",
            wanted=f"{[str(wanted)]}, with the engine's own model and tokenizer",
            why=f"prompt, max_new_tokens and params go on to {step_function}, which knows what None and 0 mean.",
        )
        call = f"CachedEngine(model, tokenizer).{method}({shown})"
        changed = next((now for then, now in zip(before, (params, short, greedy), strict=True) if then != now), None)
        why = "you changed the params handed in: they are the caller's, who may use them for the next request. Make a "
        why += "copy where you need another limit, or hand the limit on beside them."
        expect(changed is None, call=call, got=f"the caller's params are now {changed}", wanted="unchanged", why=why)
        why = "a seed set in each call gives every request the same draws: leave the generators alone."
        expect(chance == _chance(), call=call, got="the random generators were seeded", wanted="left alone", why=why)


def _chance() -> tuple[object, ...]:
    """The states of the generators that anybody may seed; torch's only where somebody has imported it."""
    torch = sys.modules.get("torch")
    return random.getstate(), torch.get_rng_state().tolist() if hasattr(torch, "get_rng_state") else None


def check_nothing_is_left(engine: Any, spies: EngineSpies, method: str, step_function: str) -> None:
    """Whether a prompt alone arrives as it is after a request with other words, a limit and params of its own."""
    spies.forget()
    given = SamplingParams(temperature=0.7, top_k=3, top_p=0.9, ignore_eos=True, max_tokens=9)
    for arguments in (("Before", 7, given), ("Before", None, given), ("Before", 7), ("Hello",)):
        answer = getattr(engine, method)(*arguments)
        if method == "stream":
            list(answer)
    wanted, asked = Asked(step_function, "Hello", 1024, 0.0, -1), spies.asked[-1:]
    why = "prompt, limit and params belong to their request: what the next one leaves out is None again, not what an "
    why += "earlier one said."
    if asked != [wanted]:
        other = type(engine)(Passive(), Passive())
        list(other.stream("Hello")) if method == "stream" else other.generate("Hello")
        is_shared = spies.asked[-1:] != [wanted]
        why += f" Here {'another engine finds' if is_shared else 'only this engine has'} what was left."
    expect(
        asked == [wanted],
        call=f"{method}('Hello'), after {method}('Before', …) with a limit and params",
        got=str(asked[0]) if asked else "no call",
        wanted=str(wanted),
        why=why,
    )


class Prompt(str):
    """Text that tells whether it is still held."""


def check_nothing_is_kept(engine: Any, spies: EngineSpies) -> None:
    """Whether the first of three prompts, and its result, are gone when the third has been answered."""
    held = []
    for number in range(3):
        prompt, params = Prompt(f"number {number}"), SamplingParams(top_k=number + 1)
        result = engine.generate(prompt, 7, params)
        held.append([weakref.ref(part) for part in (prompt, params, result)])
        list(engine.stream(prompt, 7, params))
    del prompt, params, result
    spies.forget()
    if any(part() is not None for part in held[0]):
        gc.collect()  # a circle of its own keeps it no longer than that
    names = ("the prompt", "the params", "the result")
    kept = [name for name, part in zip(names, held[0], strict=True) if part() is not None]
    expect(
        not kept,
        call="CachedEngine.generate and .stream, for three requests",
        got=f"after the third, the engine still holds {' and '.join(kept)} of the first",
        wanted="nothing of a request is kept",
        why="a list of what was served grows until the memory is full, and holds what may be private: keep nothing.",
    )


def check_streams_side_by_side(engine: Any, spies: EngineSpies) -> None:
    """Whether two streams of one engine, taken in turns, are each their own, and one closed early holds nobody up.

    An engine that lets no second stream in before the first has ended is right as well.
    """
    call = "one = engine.stream('One'); two = engine.stream('Two'); a piece of each, then the rest of each"
    spies.forget()
    got: dict[str, list[str]] = {"One": [], "Two": []}
    streams: list[Iterator[str]] = []

    def in_turns() -> None:
        streams.extend(iter(engine.stream(prompt)) for prompt in got)
        for pieces, stream in zip(got.values(), streams, strict=True):
            pieces.append(next(stream))
        for pieces, stream in zip(got.values(), streams, strict=True):
            pieces.extend(stream)

    if ends(in_turns, PATIENCE_S):
        prompts = sorted(str(asked.prompt) for asked in spies.asked)
        why = "what belongs to a stream (its prompt, its iterator) is kept on `self`, and the next stream overwrites "
        why += "it: keep it in local variables."
        wanted = {prompt: list(STREAMED) for prompt in got}
        expect(got == wanted, call=call, got=got, wanted=wanted, why=why)
        expect(prompts == sorted(got), call=call, got=f"generations for {prompts}", wanted=sorted(got), why=why)
    elif streams:
        with contextlib.suppress(ValueError):  # it runs at this moment
            getattr(streams[0], "close", lambda: None)()
    engine = type(engine)(Passive(), Passive())
    stream = iter(engine.stream("Hello"))
    next(stream)
    getattr(stream, "close", lambda: None)()
    expect(
        ends(lambda: list(engine.stream("Hello")), PATIENCE_S) and ends(lambda: engine.generate("Hello"), PATIENCE_S),
        call="stream = engine.stream('Hello'); next(stream); stream.close(); then another request",
        got="it waits for ever",
        wanted="an answer",
        why="a stream that its reader has left must give back what it holds, a lock too: use `with` or try/finally.",
    )
    got = list(engine.stream("Hello"))
    expect(
        got == list(STREAMED),
        call="stream = engine.stream('Hello'); next(stream); stream.close(); list(engine.stream('Hello'))",
        got=got,
        wanted=list(STREAMED),
        why="that one reader has left says nothing of the next stream: keep no mark of it on `self`.",
    )
