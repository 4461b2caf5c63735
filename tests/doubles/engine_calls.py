"""What the engine of step 8 hands on to the steps under it, and what it gives back: arguments, results, pieces, errors.

It is asked over stand-ins for those steps (`engine_spies.py`). Each function takes `CachedEngine`, or a function in its
place, and raises a `CheckFailure` where the promise is broken.
"""

import inspect
from dataclasses import replace
from functools import partial

from kata.failure import CheckFailure, expect
from shared.generation import Generation
from shared.result import GenerateResult
from shared.sampling_params import SamplingParams
from tests.doubles.engine_leftovers import SEEDED, goes_on
from tests.doubles.engine_spies import (
    PUT_TOGETHER,
    STEP_FUNCTIONS,
    STREAMED,
    EngineSpies,
    MakeEngine,
    ask,
    chance,
    passive,
    was_touched,
)
from tests.doubles.engines import Asked
from tests.doubles.server_slips import first_line

TURNED = " Hi <|im_end|> "


def hands_on_every_argument(make: MakeEngine, spies: EngineSpies, method: str) -> None:
    """The method hands all it gets to the step's function, however it was called."""
    step_function = STEP_FUNCTIONS[method]
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
        engine, computed = make(model, tokenizer), model.computed
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
    """The method has done its work where it was called."""
    if inspect.iscoroutine(answer):
        answer.close()
    expect(
        not inspect.isawaitable(answer) and not inspect.isasyncgen(answer),
        call=call,
        got=f"{'an' if inspect.isasyncgen(answer) else 'a'} {type(answer).__name__}",
        wanted="the answer itself",
        why="the worker's thread calls the engine and awaits nothing: drop the `async`.",
    )


def gives_the_summary(
    make: MakeEngine, spies: EngineSpies, prompt: str, generation: Generation, result: GenerateResult
) -> None:
    """What step 4 makes of the prompt goes through step 5, and what that gives is returned."""
    spies.generation, spies.result = generation, result
    call = f"CachedEngine(model, tokenizer).generate({prompt!r}), where the text is {result.text!a}"
    got = make(*passive()).generate(prompt)
    expect(
        spies.summarized[-1:] == [generation] and type(got) is type(result) and got == result,
        call=call,
        got=ascii(got),
        wanted=f"summarize(the Generation of generate_cached): {result!a}",
        why="step 4 makes the Generation, step 5 turns it into the result: return that, an empty one as well.",
    )


def hands_out_each_piece(make: MakeEngine, spies: EngineSpies) -> None:
    """Each piece of the stream goes out as it is, before the next one is made, and none is added."""
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


def lets_it_through(make: MakeEngine, spies: EngineSpies, method: str, error: Exception) -> None:
    """An error of the generation comes out of the method with its type, and the engine answers again."""
    spies.forget()
    spies.error, engine = error, make(*passive())
    try:
        answer = ask(engine, method, "Hello", 5000)
        times = len(spies.asked)
        got = f"no error, but {type(answer).__name__}, after {times} generation{'s' * (times != 1)}"
    except (CheckFailure, NotImplementedError):
        raise
    except Exception as raised:
        got = type(error).__name__ if type(raised) is type(error) else first_line(raised)
    asked_for = [each.limit for each in spies.asked if each.limit != 5000]
    got += f", asked for {asked_for[0]} tokens" if asked_for else ""
    expect(
        got == type(error).__name__,
        call=f"CachedEngine(model, tokenizer).{method}('Hello', 5000), where the generation raises {error!r}",
        got=got,
        wanted=type(error).__name__,
        why="the server turns errors into statuses, a refusal into another than a fault: let them through.",
    )
    goes_on(partial(ask, engine, method, "Hello", 5000), f"{method}('Hello', 5000), after one that raised {error!r}")
