"""What the engine of step 8 keeps of a request, or shares with another engine or stream: nothing.

It is asked over stand-ins for the steps under it (`engine_spies.py`). Each function takes `CachedEngine`, or engines
that were made of it, and raises a `CheckFailure` where the promise is broken.
"""

import contextlib
import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import Any

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.engine_spies import STEP_FUNCTIONS, STREAMED, EngineSpies, MakeEngine, ask, passive
from tests.doubles.engines import Asked
from tests.doubles.locks import ends
from tests.doubles.server_slips import first_line

SEEDED = "a seed set in each call, or a state put back after it, gives every request the same draws: leave the "
SEEDED += "generators alone."
PATIENCE_S = 2.0  # for an engine that waits for a lock of its own


def keeps_to_its_own_model(
    engines: Sequence[Any], parts: Sequence[tuple[object, object]], spies: EngineSpies, method: str
) -> None:
    """Two engines, asked in turns, each with the model and the tokenizer that it was made of."""
    for engine, own in ((engines[0], parts[0]), (engines[1], parts[1]), (engines[0], parts[0])):
        spies.forget()
        ask(engine, method, "Hello")
        are_own = [tuple(map(is_, handed, own)) for handed in spies.handed]
        whose = {True: "its own", False: "another's"}
        got = [f"{whose[model]} model, {whose[tokenizer]} tokenizer" for model, tokenizer in are_own]
        why = "model and tokenizer belong to the object (`self`): keep neither in the class nor in the module."
        if not are_own:
            why = "an answer belongs to its request: keep none for the next, neither on `self` nor in the module."
        expect(
            are_own == [(True, True)],
            call=f"{method}('Hello') of one of two engines, asked in turns",
            got=f"generations: {'; '.join(got) or 'none'}",
            wanted="one, with its own model and tokenizer",
            why=why,
        )


def leaves_nothing_to_the_next(make: MakeEngine, spies: EngineSpies, method: str) -> None:
    """A prompt alone arrives as it is after a request with other words, a limit and params of its own.

    Each of these requests draws other numbers than those before it.
    """
    spies.forget()
    engine = make(*passive())
    given = SamplingParams(temperature=0.7, top_k=3, top_p=0.9, ignore_eos=True, max_tokens=9)
    for arguments in (("Before", 7, given), ("Before", None, given), ("Before", 7), ("Hello",)):
        ask(engine, method, *arguments)
    wanted, asked = Asked(STEP_FUNCTIONS[method], "Hello", 1024, 0.0, -1), spies.asked[-1:]
    why = "prompt, limit and params belong to their request: what the next one leaves out is None again, not what an "
    why += "earlier one said."
    drawn = spies.drawn
    if asked != [wanted]:
        ask(make(*passive()), method, "Hello")
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


def keeps_streams_apart(make: MakeEngine, spies: EngineSpies) -> None:
    """Two streams of one engine, taken in turns, are each their own, and one closed early holds nobody up.

    Both are made before a piece of either is taken. An engine that lets no second stream in before the first has ended
    is right as well.
    """
    call = "one = engine.stream('One', 7, params); two = engine.stream('Two', 9, other_params); "
    call += "a piece of each, then the rest of each"
    settings = {"One": (7, SamplingParams(temperature=0.7, top_k=3)), "Two": (9, SamplingParams(1.5, 40, 0.9, True))}
    spies.forget()
    engine = make(*passive())
    got: dict[str, list[str]] = {"One": [], "Two": []}
    streams: list[Iterator[str]] = []

    def in_turns() -> None:
        streams.extend(iter(engine.stream(prompt, *settings[prompt])) for prompt in got)
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
        _gets_its_own_settings(spies, settings, call)
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


def _gets_its_own_settings(spies: EngineSpies, settings: dict[str, tuple[int, SamplingParams]], call: str) -> None:
    """The two generations, each for its own prompt, have the limit and the params that were asked for with it."""
    wanted = sorted(str(Asked.of("generate_stream", prompt, *own)) for prompt, own in settings.items())
    got = sorted(map(str, spies.asked))
    why = "a stream is made of what its own call was given. Where limit and params wait on `self` until a first piece "
    why += "is taken, they are those of the stream that was made after it: keep them in the call, not on `self`."
    expect(got == wanted, call=call, got=";\n".join(got), wanted=";\n".join(wanted), why=why)


def goes_on(again: Callable[[], object], call: str) -> None:
    """An engine whose last generation failed answers again."""
    try:
        got = "an answer" if ends(again, PATIENCE_S) else "it waits for ever"
    except Exception as error:
        got = first_line(error)
    why = "what an engine sets or locks before a generation must be undone on every way out, on that of an error too: "
    why += "`with`, or try/finally."
    expect(got == "an answer", call=call, got=got, wanted="an answer", why=why)


class Prompt(str):
    """Text that tells whether it is still held."""


def keeps_nothing(engine: Any, spies: EngineSpies) -> None:
    """The first of three prompts, and its result, are gone when the third has been answered."""
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
