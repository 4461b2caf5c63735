"""Where a stream ends: at every EOS, at the limit, and before it begins where the limit does not fit.

Each function is handed a solution's step 6 and raises a `CheckFailure` where it breaks the promise.
"""

from itertools import product
from types import ModuleType
from typing import Any

from kata.failure import expect
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from tests.doubles.backends import zero_eos_backend
from tests.doubles.calls import trace
from tests.doubles.clock import FakeClock
from tests.doubles.fast_tokenizer import END_OF_TEXT, IM_END, FastTokenizer
from tests.doubles.loop_verdicts import counted, taken_for_an_eos
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.stream_record import Told
from tests.doubles.stream_texts import short
from tests.doubles.streams import LEFT_OUT, PROMPT, answering, called, read

DEFAULT_LIMIT = "nothing was said of a limit: `max_new_tokens` is None then, and the params are `SamplingParams()`, "
DEFAULT_LIMIT += "whose `max_tokens` is the limit, uncut."


def ends_at_every_eos(step: ModuleType) -> None:
    plain, zero = FastTokenizer(), FastTokenizer(zero_eos_backend())
    both, half = [END_OF_TEXT, ord("!")], 0x80
    for tokenizer, configured, found in (
        (plain, [*both, half], (IM_END, *both)),
        (zero, zero.ids("!")[0], (0, zero.ids("!")[0])),
        (plain, 0, (0,)),
    ):
        for eos, ignored in product(found, (False, True)):
            ids = [*tokenizer.ids("é"), eos, *tokenizer.ids("cd")]
            model, params = answering(tokenizer, ids, eos_token_id=configured), SamplingParams(ignore_eos=ignored)
            told = read(step, tokenizer, ids if ignored else ids[:3], model, max_new_tokens=5, params=params)
            why = (
                f"EOS is {configured} in the model's config, and {tokenizer.eos_token_id} for the tokenizer: each ends "
            )
            why += "the answer, unless ignore_eos, and one that is no special token is text, as in the completion."
            if ignored and told.forwards == 3:
                why = (
                    "ignore_eos was asked for: hand the params to the token loop whole, not some of their fields, and "
                )
                why += "look for no stop id a second time, outside of that loop: it alone ends an answer."
            elif told.forwards == 1 and read(step, tokenizer, ids).forwards > 1:  # no EOS there looks like half an é
                why = taken_for_an_eos(ids[0], half)
            elif eos == 0 and told.runs_on:
                why = "0 is an id like any other, and here an EOS: `if id` and `eos or ...` take it for nothing."
            _expect_end(told, f"{why} Here {eos} came third.")
    half, params = "🙂".encode(), SamplingParams(ignore_eos=True)
    told = read(step, plain, [*half[:2], IM_END, *half[2:]], params=params)
    _expect_end(told, "with ignore_eos a stop id ends nothing, not even a character: what is held back waits on.")


def keeps_the_limit(step: ModuleType, clock: FakeClock) -> None:
    reply, small = b"Hello, you " * 50, ((None, 3, 3), (5, 3, 5), (3, 5, 3), (1, 9, 1))
    for given, in_params, limit in (*small, (None, 520, 520), (520, 3, 520), (LEFT_OUT, 100, 100)):
        tokenizer, params = FastTokenizer(), SamplingParams(max_tokens=in_params)
        model = answering(tokenizer, reply, on_call=lambda _: clock.advance(3600), most_calls=1100)
        told = read(step, tokenizer, reply[:limit], model, max_new_tokens=given, params=params)
        why = "`max_new_tokens` wins where it is given; where it is None, `params.max_tokens` counts. Neither is cut."
        if given is LEFT_OUT:
            why = "`max_new_tokens` was left out, and is None then: the contract has no other default for it, and "
            why += "`params.max_tokens` counts, uncut."
        elif told.ends_early:
            why += " And no clock ends an answer, nor a limit that nobody asked for."
        _expect_end(told, why)
    _takes_its_arguments_in_order(step)


def _takes_its_arguments_in_order(step: ModuleType) -> None:
    tokenizer, params = FastTokenizer(), SamplingParams(max_tokens=5)
    try:
        got = "".join(step.generate_stream(answering(tokenizer, b"Hello"), tokenizer, PROMPT, 2, params))
    except (AttributeError, TypeError, RequestRefused) as error:
        got = f"{type(error).__name__}: {error}"
    expect(
        got == "He",
        call="''.join(generate_stream(model, tokenizer, prompt, 2, SamplingParams(max_tokens=5)))",
        got=got,
        wanted="'He'",
        why="others call it by place: model, tokenizer, prompt, max_new_tokens, params, as the contract has them.",
    )


def _expect_end(told: Told, why: str) -> None:
    calls, wanted = told.model.calls, len(told.ids)
    expect(
        told.text == told.wanted and len(calls) == wanted,
        call=told.call,
        got=f"{short(told.text)} after {counted(len(calls), 'forward')}",
        wanted=f"{short(told.wanted)} after {counted(wanted, 'forward')}",
        why=why,
        trace=trace(calls, min(len(calls), wanted) if len(calls) != wanted else None),
    )


def refuses_what_does_not_fit(step: ModuleType) -> None:
    prompt = len(FastTokenizer().prompt_ids(PROMPT))
    for options, context in (
        ({"max_new_tokens": 0}, 4096),
        ({"max_new_tokens": -1}, 4096),
        ({"max_new_tokens": 50}, prompt + 49),
        ({"max_new_tokens": 9000}, prompt + 8999),
        ({"params": SamplingParams(max_tokens=50)}, prompt + 49),
        ({}, prompt + 1023),
    ):
        got, model = _refusal(step, context, options)
        why = "`check_fits` says so before any work is done; 0 is a limit too, not a missing one."
        if got == "no error" and not model.calls:
            why = "nothing was refused, and nothing was made: `check_fits` gets the limit that counts, be it 0, not "
            why += "`params.max_tokens`."
        elif not options:
            why = DEFAULT_LIMIT
        elif options.get("max_new_tokens", 2) > 1:
            why = "prompt and limit are beyond the context: `check_fits` gets the limit that was asked for, uncut."
        if got not in ("no error", RequestRefused.__name__):
            why = "the error of a limit is a RequestRefused, which the server knows from a fault of its own: it is "
            why += "what `check_fits` raises."
        elif got == RequestRefused.__name__:
            why = "it was refused, but only after the model had run: call `check_fits` before the first forward."
        expect(
            got == RequestRefused.__name__ and not model.calls,
            call=f"next({called(**options)}), a context of {context}",
            got=f"{got}, {counted(len(model.calls), 'forward')}",
            wanted="RequestRefused, 0 forwards",
            why=why,
            trace=trace(model.calls, 0) if model.calls else (),
        )
    got, _ = _refusal(step, prompt + 1024, {})
    call = f"next({called()}), a context of {prompt + 1024}"
    expect(got == "no error", call=call, got=got, wanted="the first chunk: it fits", why=DEFAULT_LIMIT)


def _refusal(step: ModuleType, context: int, options: dict[str, Any]) -> tuple[str, ScriptedModel]:
    """The error at the call or at the first chunk, by its name, and the model."""
    tokenizer = FastTokenizer()
    model = answering(tokenizer, b"Hello", context=context)
    try:
        next(iter(step.generate_stream(model, tokenizer, PROMPT, **options)), None)
    except Exception as error:
        return type(error).__name__, model
    return "no error", model
