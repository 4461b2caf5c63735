"""Verdicts on the ids of a prompt: control tokens and BOS, whole words, one piece, and a mask that hides none of them.

Each function is handed a solution's step 1 and raises a `CheckFailure` where it breaks the promise.
"""

from types import ModuleType
from typing import Any

from kata.failure import expect
from tests.doubles.backends import BOS_TOKEN
from tests.doubles.fast_tokenizer import IM_START, FastTokenizer
from tests.doubles.prompt_slips import render
from tests.doubles.prompt_verdicts import expect_prompt, prepare
from tests.doubles.scripted_model import ScriptedModel


def are_single_ids(step: ModuleType, tokenizer: FastTokenizer, model: ScriptedModel) -> None:
    """Each control token that the template writes is one id."""
    prompt, wanted = prepare(step, tokenizer, model, "Hello"), tokenizer.prompt_ids("Hello")
    got = f"{prompt.ids.count(IM_START)} times the id {IM_START}, {len(prompt.ids)} ids in all"
    why = "the text reads right, but its ids spell the control tokens letter by letter, which the model never saw."
    shown = f"{wanted.count(IM_START)} times, {len(wanted)} ids in all"
    expect(prompt.ids == wanted, call=prompt.call, got=got, wanted=shown, why=why)


def hides_none_of_them(
    step: ModuleType, tokenizer: FastTokenizer, model: ScriptedModel, text: str, pad: tuple[str, int]
) -> None:
    """The mask is 1 everywhere, also at the pad token (text and id), which stands in the prompt."""
    tokenizer.pad_token, tokenizer.pad_token_id = pad
    model.config.pad_token_id = model.generation_config.pad_token_id = tokenizer.pad_token_id
    prompt = prepare(step, tokenizer, model, text)
    hidden = {token for token, place in zip(prompt.ids, prompt.mask, strict=True) if place != 1}
    got = f"not 1 where the id is {sorted(hidden)}"
    why = "nothing is padded: an EOS, a pad or a 0 that stands in the prompt belongs to it, so the model sees it."
    call = f"{prompt.call}, pad_token {tokenizer.pad_token!r} of id {tokenizer.pad_token_id}"
    expect(not hidden, call=call, got=got, wanted="1 everywhere", why=why)


def has_one_bos(step: ModuleType, tokenizer: Any, model: ScriptedModel) -> None:
    """The first token that the template writes is there once, at the start."""
    prompt = expect_prompt(step, tokenizer, model, "Hello")
    places = [at for at, token in enumerate(prompt.ids) if token == tokenizer.bos_token_id]
    why = "the template has written it: tokenise its text with add_special_tokens=False, special tokens as tokens."
    expect(places == [0], call=prompt.call, got=f"{BOS_TOKEN} at {places}", wanted="at [0]", why=why)


def are_whole_words(step: ModuleType, tokenizer: Any, model: ScriptedModel, text: str) -> None:
    """There are hardly more ids than the tokenizer needs for the text."""
    prompt = expect_prompt(step, tokenizer, model, text)
    least = len(tokenizer.encode(render(tokenizer, text), add_special_tokens=False))
    why = "a model knows whole tokens, and letters hardly at all: let the tokenizer encode the text in one piece."
    is_right = len(prompt.ids) <= least + 8
    expect(is_right, call=prompt.call, got=f"{len(prompt.ids)} ids", wanted=f"{least} ids", why=why)


def are_encoded_in_one_piece(step: ModuleType, tokenizer: Any, model: ScriptedModel, text: str) -> None:
    """The ids are those of the whole prompt, by a tokenizer that shows where a piece of it begins."""
    prompt = prepare(step, tokenizer, model, text)
    whole = tokenizer.encode(render(tokenizer, text), add_special_tokens=False)
    at = next((at for at, pair in enumerate(zip(prompt.ids, whole, strict=False)) if len(set(pair)) > 1), 0)
    shown = [tokenizer.convert_ids_to_tokens(ids[max(0, at - 2) : at + 4]) for ids in (prompt.ids, whole)]
    why = "pieces of the prompt were encoded apart, and each begins anew, here with a space that nobody wrote, or "
    why += "in the middle of a token: render both messages, and let the tokenizer encode all of it in one piece."
    expect(prompt.ids == whole, call=prompt.call, got=f"the tokens {shown[0]}", wanted=f"{shown[1]}", why=why)
