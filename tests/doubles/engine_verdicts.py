"""Asks the engine of step 8 over stand-ins for the steps under it, and judges what it handed on and what it kept."""

import contextlib
import gc
import inspect
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.engine_spies import PUT_TOGETHER, STREAMED, EngineSpies, chance, passive, was_touched
from tests.doubles.engines import Asked
from tests.doubles.locks import ends
from tests.doubles.server_slips import first_line

SEEDED = "a seed set in each call, or a state put back after it, gives every request the same draws: leave the "
SEEDED += "generators alone."
TURNED = " Hi <|im_end|> "
MakeEngine = Callable[..., Any]  # CachedEngine, or a function in its place
PATIENCE_S = 2.0  # for an engine that waits for a lock of its own


def check_engine_arguments(module: ModuleType, spies: EngineSpies, method: str, step_function: str) -> None:
    """Whether the method of `CachedEngine` hands all it gets to the step's function, however it was called."""
    model, tokenizer = passive()
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
        call = f"CachedEngine(model, tokenizer).{method}({shown})"
        before, met = [replace(given) for given in (params, short, greedy)], chance()
        engine, computed = module.CachedEngine(model, tokenizer), model.computed
        answer = getattr(engine, method)(*arguments, **named)
        _expect_no_coroutine(answer, call)
        if method == "stream":
            list(answer)
        expect(
            model.computed == computed,
            call=call,
            got="the engine calls the model itself",
            wanted="only generate_cached, summarize and generate_stream do",
            why=PUT_TOGETHER,
        )
        strangers = any(pair[0] is not model or pair[1] is not tokenizer for pair in spies.handed)
        got = [str(each) for each in spies.asked]
        expect(
            spies.asked == [wanted] and not strangers,
            call=call,
            got=f"{got or 'no call'}{', with another model or tokenizer' if strangers else ''}",
            wanted=f"{[str(wanted)]}, with the engine's own model and tokenizer",
            why=f"prompt, max_new_tokens and params go on to {step_function}, which knows what None and 0 mean.",
        )
        changed = next((now for then, now in zip(before, (params, short, greedy), strict=True) if then != now), None)
        why = "you changed the params handed in: they are the caller's, who may use them for the next request. Make a "
        why += "copy where you need another limit, or hand the limit on beside them."
        expect(changed is None, call=call, got=f"the caller's params are now {changed}", wanted="unchanged", why=why)
        seeded = was_touched(met, spies.chance)
        expect(not seeded, call=call, got="the random generators were seeded", wanted="left alone", why=SEEDED)


def _expect_no_coroutine(answer: object, call: str) -> None:
    """Whether the method has done its work where it was called."""
    if inspect.iscoroutine(answer):
        answer.close()
    expect(
        not inspect.isawaitable(answer) and not inspect.isasyncgen(answer),
        call=call,
        got=f"{'an' if inspect.isasyncgen(answer) else 'a'} {type(answer).__name__}",
        wanted="the answer itself",
        why="the worker's thread calls the engine and awaits nothing: drop the `async`.",
    )


def check_pieces(make: MakeEngine, spies: EngineSpies) -> None:
    """Whether each piece of the stream goes out as it is, before the next one is made, and none is added."""
    before = spies.streamed
    stream = iter(make(*passive()).stream("Hello"))
    got = [next(stream, None)]
    made = spies.streamed - before
    why = "a piece is held back until the next one is there: hand out each as soon as it is made."
    if got != [STREAMED[0]]:
        why = (
            "a buffer holds pieces back until it has enough of them, a word, a line or a batch: hand out each as it is."
        )
    elif made == len(STREAMED):
        why = "a list, or a join, makes all pieces before the first goes out: return the iterator itself."
    expect(
        made == 1,
        call="next(CachedEngine(model, tokenizer).stream('Hello'))",
        got=f"{'all' if made == len(STREAMED) else made} pieces were made",
        wanted="one",
        why=why,
    )
    got.extend(stream)
    spies.pieces = ()
    nothing = list(make(*passive()).stream("Say nothing"))
    for prompt, all_of_it, pieces in (("Hello", got, STREAMED), ("Say nothing", nothing, ())):
        expect(
            all_of_it == list(pieces),
            call=f"list(CachedEngine(…).stream({prompt!r})), where generate_stream gives {len(pieces) or 'no'} pieces",
            got=ascii(all_of_it),
            wanted=ascii(list(pieces)),
            why="stream yields the pieces of generate_stream as they are, and ends with them.",
        )


def check_nothing_is_left(make: MakeEngine, spies: EngineSpies, method: str, step_function: str) -> None:
    """Whether a prompt alone arrives as it is after a request with other words, a limit and params of its own.

    And whether each of these requests draws other numbers than those before it.
    """
    spies.forget()
    engine = make(*passive())
    given = SamplingParams(temperature=0.7, top_k=3, top_p=0.9, ignore_eos=True, max_tokens=9)
    for arguments in (("Before", 7, given), ("Before", None, given), ("Before", 7), ("Hello",)):
        answer = getattr(engine, method)(*arguments)
        if method == "stream":
            list(answer)
    wanted, asked = Asked(step_function, "Hello", 1024, 0.0, -1), spies.asked[-1:]
    why = "prompt, limit and params belong to their request: what the next one leaves out is None again, not what an "
    why += "earlier one said."
    drawn = spies.drawn
    if asked != [wanted]:
        other = make(*passive())
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
    expect(
        all(len(set(numbers)) == len(drawn) for numbers in zip(*drawn, strict=False)),
        call=f"{method}(…), four times",
        got="the random generators gave the same numbers twice",
        wanted="other numbers for each request",
        why=SEEDED,
    )


def check_it_goes_on(ask: Callable[[], object], call: str) -> None:
    """Whether an engine whose last generation failed answers again."""
    try:
        got = "an answer" if ends(ask, PATIENCE_S) else "it waits for ever"
    except Exception as error:
        got = first_line(error)
    why = "what an engine sets or locks before a generation must be undone on every way out, on that of an error too: "
    why += "`with`, or try/finally."
    expect(got == "an answer", call=call, got=got, wanted="an answer", why=why)


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


def check_streams_side_by_side(make: MakeEngine, spies: EngineSpies) -> None:
    """Whether two streams of one engine, taken in turns, are each their own, and one closed early holds nobody up.

    An engine that lets no second stream in before the first has ended is right as well.
    """
    call = "one = engine.stream('One'); two = engine.stream('Two'); a piece of each, then the rest of each"
    spies.forget()
    engine = make(*passive())
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
    engine = make(*passive())
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
