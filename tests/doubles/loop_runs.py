"""One run of `generate_uncached` or `generate_cached`: the call as a learner would write it, and its result."""

import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kata.failure import CheckFailure, expect
from shared.generation import Generation
from tests.doubles.fast_tokenizer import IM_END, FastTokenizer
from tests.doubles.loop_results import as_generation
from tests.doubles.loop_verdicts import counted
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import Script, hashed

PROMPT = "Why is the sky blue?"

Generate = Callable[..., Generation]


def run(
    generate: Generate, model: Any, prompt: str = PROMPT, tokenizer: Any = None, **options: Any
) -> tuple[Generation, str]:
    """The result, strictly read, and the call as a learner would write it."""
    told = "".join(f", {name}={value!r}" for name, value in options.items())
    call = f"{name_of(generate)}(model, tokenizer, {prompt if len(prompt) < 40 else prompt[:40] + '...'!r}{told})"
    with _told_of_the_eos(model, call), _told_of_greedy(options.get("params"), call):
        result = as_generation(generate(model, tokenizer or FastTokenizer(), prompt, **options), call)
    if isinstance(model, ScriptedModel):
        _comes_from(model, result, call)
    return result, call


@contextmanager
def _told_of_the_eos(model: Any, call: str) -> Iterator[None]:
    """A TypeError in a line of this block that speaks of the EOS is a verdict."""
    try:
        yield
    except TypeError as error:
        if "eos" not in (traceback.extract_tb(error.__traceback__)[-1].line or ""):
            raise
        eos = model.generation_config.eos_token_id
        why = f"the EOS of a generation config may be an int, a list or None, and is {eos} here: "
        why += "`stop_token_ids(model, tokenizer)` gives the set of all, whatever it is."
        raise CheckFailure(call=call, got=f"TypeError: {error}", wanted="an answer", why=why) from error


@contextmanager
def _told_of_greedy(params: Any, call: str) -> Iterator[None]:
    """An error about odds in this block is a verdict where nothing was to be drawn, and `is_greedy` does not say so."""
    try:
        yield
    except (RuntimeError, ZeroDivisionError) as error:
        is_hidden = params is not None and params.temperature <= 0 and not params.is_greedy
        if not is_hidden or not re.search(r"probability|prob_dist|division|distribution", str(error)):
            raise
        why = "`params.is_greedy` is False here, and yet the temperature is 0 or below, which means greedy: ask for "
        why += "`temperature <= 0`, or leave it to step 2, before anything is divided by it."
        got = f"{type(error).__name__}: {error}"
        raise CheckFailure(call=call, got=got, wanted="always the best token", why=why) from error


def _comes_from(model: ScriptedModel, result: Generation, call: str) -> None:
    """The ids are those of this call, and only the new ones."""
    tokens, why = (
        counted(len(result.output_ids), "token"),
        "each is what a call of the model says; one that was kept is of an earlier request.",
    )
    got, wanted = f"{tokens} without a call of the model", "a call of the model for each token"
    expect(bool(model.calls) or not result.output_ids, call=call, got=got, wanted=wanted, why=why)
    asked = model.calls[0].ids if model.calls else []
    is_new = len(asked) < 2 or result.output_ids[: len(asked)] != asked
    why = "output_ids are the new ids alone: keep a list of them beside the sequence that the model reads."
    call, got = f"{call}.output_ids", f"{counted(len(asked), 'id')} of the prompt before the new ones"
    expect(is_new, call=call, got=got, wanted="the new ids alone", why=why)


def name_of(generate: Generate) -> str:
    """The function's name; a callable object has that of its class."""
    return getattr(generate, "__name__", type(generate).__name__)


def prompt_ids(prompt: str = PROMPT) -> list[int]:
    return FastTokenizer().prompt_ids(prompt)


def stopping_after(tokens: int, stop_id: int, ids: Sequence[int] | None = None) -> Script:
    """Letters, one `stop_id` as token number `tokens`, and letters again, as if nothing had been said.

    ids: the prompt's, where it is not PROMPT's.
    """
    letters, at = hashed(), len(prompt_ids() if ids is None else ids) + tokens - 1
    return lambda seen: stop_id if len(seen) == at else letters(seen)


def padding_with(pad: int | None, model: ScriptedModel) -> ScriptedModel:
    """The model, whose configs have this id as padding, and the one that ends a turn of the prompt as EOS."""
    for settings in (model.config, model.generation_config):
        settings.pad_token_id, settings.eos_token_id = pad, IM_END
    return model
