"""What `prepare_inputs` leaves behind, on the tokenizer or for a later call: nothing.

Each function is handed a solution's step 1 and raises a `CheckFailure` where it breaks the promise.
"""

from collections.abc import Sequence
from types import ModuleType

import torch

from kata.failure import expect
from tests.doubles.backends import zero_eos_backend
from tests.doubles.fast_tokenizer import NOTES, FastTokenizer
from tests.doubles.prompt_slips import render
from tests.doubles.prompt_verdicts import decoded, expect_prompt, inputs_of, prepare
from tests.doubles.scripted_model import ScriptedModel


def makes_new_tensors(step: ModuleType, tokenizer: FastTokenizer, model: ScriptedModel) -> None:
    """Whoever writes into the tensors of one call finds those of the next as they should be."""
    mask = prepare(step, tokenizer, model, "Hello").mask
    with torch.inference_mode():
        inputs = inputs_of(step, tokenizer, model, "Hello")
        inputs["input_ids"].zero_()  # the caller's, who may write into it
        inputs["attention_mask"][:, :1].zero_()
    why = "both calls gave the same tensors, and the caller of the first wrote into them: make new ones at each call."
    prompt = expect_prompt(step, tokenizer, model, "Hello", why=why)
    got, wanted = f"a mask that begins with {prompt.mask[:3]}", f"{mask[:3]}"
    expect(prompt.mask == mask, call=prompt.call, got=got, wanted=wanted, why=why)


def keeps_nothing_for_another_tokenizer(step: ModuleType, tokenizer: FastTokenizer, model: ScriptedModel) -> None:
    """A tokenizer with other ids is asked itself, whatever this one has said before."""
    other = FastTokenizer(zero_eos_backend())
    is_kept = prepare(step, other, model, "A text that is new").ids == tokenizer.prompt_ids("A text that is new")
    kept = "the earlier one itself" if is_kept else "what an earlier one made of this text"
    why = f"another tokenizer was handed in here, and {kept} is kept: make nothing last longer than its call."
    expect_prompt(step, other, model, "Hello", why=why)


def takes_each_system_prompt(
    step: ModuleType, tokenizer: FastTokenizer, model: ScriptedModel, systems: Sequence[str | None]
) -> set[str]:
    """Each of them in its own call alone, the default one where it is None. The marks of the last prompt."""
    why = "the system message is the text that this call was given, to the letter: nothing filled in, nothing changed."
    earlier = "this system prompt is an earlier call's: none outlives its call."
    given: list[str] = []
    marks: set[str] = set()
    for system in systems:
        prompt = prepare(step, tokenizer, model, "Hello", system)
        old = next((old for old in given if decoded(tokenizer, prompt.ids) == render(tokenizer, "Hello", old)), None)
        wanted = "the default one, for none was given" if system is None else f"{system!r}"
        expect(old is None, call=prompt.call, got=f"the system prompt {old!r}", wanted=wanted, why=earlier)
        expect_prompt(step, tokenizer, model, "Hello", system, why=why)
        given += [] if system is None else [system]
        marks = prompt.marks
    return marks


def sets_nothing(step: ModuleType, tokenizer: FastTokenizer, model: ScriptedModel, besides: str = "") -> None:
    """The tokenizer is afterwards what it was. besides: what there is to say of it first."""
    why = "every request shares this tokenizer: say what you want in the call, and set nothing."
    why = f"{besides} {why[0].upper()}{why[1:]}" if besides else why
    before, size, special = {**vars(type(tokenizer)), **vars(tokenizer)}, len(tokenizer), _special(tokenizer)
    prompt = prepare(step, tokenizer, model, "Hello")
    before = {**vars(vars(tokenizer).get("_built", tokenizer)), **before}  # what else a tokenizer of the library has
    changed = {
        name: value for name, value in vars(tokenizer).items() if name not in NOTES and value != before.get(name, NOTES)
    }
    wanted = {name: before.get(name, "not set") for name in changed}
    expect(not changed, call=prompt.call, got=f"tokenizer now with {changed}", wanted=wanted, why=why)
    expect(len(tokenizer) == size, call=prompt.call, got=f"{len(tokenizer)} tokens", wanted=f"{size}", why=why)
    got, wanted = (f"all_special_tokens {tokens}" for tokens in (_special(tokenizer), special))
    expect(got == wanted, call=prompt.call, got=got, wanted=wanted, why=why)


def _special(tokenizer: FastTokenizer) -> list[str]:
    """What counts as special: with the library's own tokenizer, where a call has asked it something."""
    return sorted(vars(tokenizer).get("_built", tokenizer).all_special_tokens)
