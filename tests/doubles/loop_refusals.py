"""What `generate_uncached` and `generate_cached` refuse, before the model runs, and what they say then.

Each function is handed a solution's `generate` and raises a `CheckFailure` where it breaks the promise.
"""

import contextlib
import copy
import re
from collections.abc import Iterator
from typing import Any

from kata.failure import CheckFailure, expect
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.loop_runs import PROMPT, Generate, name_of, prompt_ids, run
from tests.doubles.loop_verdicts import counted
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import hashed


def refusal(generate: Generate, model: ScriptedModel, why: str, **options: Any) -> tuple[str, str]:
    """The text of the `RequestRefused` that this call must raise before the model runs, and the call."""
    call = f"{name_of(generate)}(model, tokenizer, {PROMPT!r}, {', '.join(f'{k}={v!r}' for k, v in options.items())})"
    got, text = "an answer", ""
    try:
        answer = generate(model, FastTokenizer(), PROMPT, **options)
        got = f"an answer of {counted(len(getattr(answer, 'output_ids', ())), 'token')}"
    except CheckFailure:
        if len(model.calls) <= model.most_calls:
            raise
        got = f"an answer of more than {model.most_calls} tokens"
    except RequestRefused as error:
        got, text = "RequestRefused", str(error)
    except ValueError as error:
        got = f"{type(error).__name__}: {error}"
        why = f"the kind of error must be RequestRefused, as check_fits raises it: a server tells its caller. {why}"
    if got == "an answer of 0 tokens":
        why += " Nothing refused it here: `check_fits` gets the limit that counts, be it 0, not `params.max_tokens`."
    expect(got == "RequestRefused", call=call, got=got, wanted="RequestRefused", why=why)
    calls, shown = f"{counted(len(model.calls), 'call')} of the model before it", trace(model.calls, 0)
    wanted = "RequestRefused before the model runs"
    expect(not model.calls, call=call, got=calls, wanted=wanted, why=why, trace=shown)
    return text, call


def refuses_fewer_than_one(generate: Generate) -> None:
    for limit, in_params in ((0, 9), (-1, 9), (None, 0), (None, -1)):
        asked, params = in_params if limit is None else limit, SamplingParams(max_tokens=in_params)
        why = "0 is a number, not 'not given'" if asked == 0 else f"{asked} is not a word for 'no limit'"
        name = "params.max_tokens" if limit is None else "max_new_tokens"
        why = f"{name}={asked} is the caller's mistake, and refused: {why}. The message names it."
        model = ScriptedModel(hashed(), most_calls=30)
        text, call = refusal(generate, model, why, max_new_tokens=limit, params=params)
        expect(_names(text, asked), call=call, got=text, wanted=f"a message that names {asked}", why=why)


def refuses_what_does_not_fit(generate: Generate) -> None:
    prompt = len(prompt_ids())
    for limit, context in (
        (17, prompt + 16),
        (None, prompt + 1023),
        (1, prompt),
        (5, prompt - 1),
        (5000, prompt + 4500),
    ):
        new = 1024 if limit is None else limit
        why = "prompt and new tokens must fit into the model's context, beyond which positions mean nothing: refuse."
        model = ScriptedModel(hashed(), context=context, most_calls=30)
        try:
            text, call = refusal(generate, model, why, max_new_tokens=limit)
        except CheckFailure as failure:
            if "more than 30 tokens" in failure.got:
                why = f"{why} Here {new} new tokens are not refused: a limit is refused, not lowered."
                got, wanted = "an answer was begun", "RequestRefused before the model runs"
                call = f"{name_of(generate)}(..., max_new_tokens={limit}), a context of {context}"
                raise CheckFailure(call=call, got=got, wanted=wanted, why=why) from None
            raise failure if model.calls == [] else _refused_too_little(generate, failure, new) from None
        numbers = {"prompt": prompt, "new tokens": new, "context": context}
        missing = [f"{name} ({number})" for name, number in numbers.items() if not _names(text, number)]
        wanted = f"a message that also names the {', '.join(missing)}"
        expect(not missing, call=call, got=text, wanted=wanted, why="a caller needs the numbers to ask for less.")
    model = ScriptedModel(hashed(), context=prompt + 16, most_calls=30)
    model.config = _with_a_text_part(model.config)
    why = "here the context stands in the config of the model's text part, as in a model that reads pictures too: "
    why += "`check_fits` looks there."
    with _told_of_the_config(f"{name_of(generate)}(..., max_new_tokens=17)", "RequestRefused", why):
        refusal(generate, model, why, max_new_tokens=17)


def _refused_too_little(generate: Generate, failure: CheckFailure, new_tokens: int) -> CheckFailure:
    """The failure, and what else there is to see: when it refused, what it lowered, what it held against what."""
    if "before it" in failure.got:
        more = "It is refused here, and too late: count before the model runs."
    elif failure.got != f"an answer of {counted(new_tokens, 'token')}":
        more = "Here fewer tokens were made than were asked for: a limit is refused, not lowered."
    else:
        more = "Here the prompt alone is held against the context: add the new tokens."
        with contextlib.suppress(Exception):
            model = ScriptedModel(hashed(), context=len(prompt_ids()) - 1, most_calls=30)
            generate(model, FastTokenizer(), PROMPT, max_new_tokens=5)
            more = "Yours does not refuse a prompt either that is longer than the context by itself"
            more += "." if model.calls[0].ids == prompt_ids() else ": it is cut, and another question is answered."
    parts = {part: getattr(failure, part) for part in ("call", "got", "wanted", "trace")}
    return CheckFailure(**parts, why=f"{failure.why} {more}")


def _with_a_text_part(config: Any) -> Any:
    """A config whose context only that of its text part names."""
    outer = copy.copy(config)
    del outer.max_position_embeddings
    outer.get_text_config = config.get_text_config
    return outer


@contextlib.contextmanager
def _told_of_the_config(call: str, wanted: str, why: str) -> Iterator[None]:
    """An error in this block is a verdict: a name that a config has not, or a refusal that is none."""
    try:
        yield
    except (AttributeError, TypeError, RequestRefused) as error:
        told = f"{type(error).__name__}: {error}"
        raise CheckFailure(call=call, got=told, wanted=wanted, why=why) from error


def _names(text: str, number: int) -> bool:
    text = re.sub(r"(?<=\d)[,_' ](?=\d{3}\b)", "", text)  # 1,024 is 1024
    return re.search(rf"(?<![\d-]){number}(?!\d)", text) is not None


def serves_an_exact_fit(generate: Generate) -> None:
    model = ScriptedModel(hashed(), context=len(prompt_ids()) + 16)
    try:
        result, call = run(generate, model, max_new_tokens=16)
        got, call = counted(len(result.output_ids), "token"), f"{call}, which just fits into the context"
    except RequestRefused as error:
        got, call = f"RequestRefused: {error}", f"{name_of(generate)}(..., max_new_tokens=16), which just fits"
    why = "a prompt and an answer that just fill the context are fine: refuse what is more than that."
    expect(got == "16 tokens", call=call, got=got, wanted="16 tokens", why=why)
    model = ScriptedModel(hashed(), context=None)
    call = f"{name_of(generate)}(..., max_new_tokens=16) on a model whose config names no context"
    why = "a model without a context has no limit: `check_fits` asks the config only for what it has."
    with _told_of_the_config(call, "16 tokens", why):
        got = f"{len(run(generate, model, max_new_tokens=16)[0].output_ids)} tokens"
    expect(got == "16 tokens", call=call, got=got, wanted="16 tokens", why=why)
