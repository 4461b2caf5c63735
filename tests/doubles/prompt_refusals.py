"""What `prepare_inputs` refuses: what a template or tokenizer cannot do, and, for stars, a forged control token.

Each function is handed a solution's step 1 and raises a `CheckFailure` where it breaks the promise.
"""

import re
from types import ModuleType
from typing import Any

from kata.failure import expect
from shared.limits import RequestRefused
from tests.doubles.draws import is_not_started
from tests.doubles.prompt_verdicts import call_text, decoded, expect_prompt, prepare
from tests.doubles.scripted_model import ScriptedModel

COMES_IN = "a control token counts wherever it stands, so a user can end their turn and begin another's: refuse the "
COMES_IN += "text, or encode it plain."
SETTINGS = ("padding_side", "truncation_side", "pad_token", "model_max_length", "chat_template")


def lets_the_error_through(
    step: ModuleType, tokenizer: Any, model: ScriptedModel, what: str, said: str | None = None
) -> None:
    """The template's own error is raised. said: its text, where the template itself has written it."""
    try:
        inputs = step.prepare_inputs(tokenizer, model, "Hello")
    except Exception as error:
        if is_not_started(error):
            raise
        got = f"{type(error).__name__}: {error}"
        why = "whoever asks did nothing wrong, and the cause is to be read: the template's own error comes through."
        if "raise_exception" in got:
            why = "the template was rendered outside of the tokenizer: apply_chat_template gives it `raise_exception` "
            why += "and more that templates call."
        is_own = type(error) is not RequestRefused and (said is None or said == str(error))
        call, wanted = f"{call_text('Hello')}, tokenizer with {what}", "the template's own error"
        expect(is_own, call=call, got=got, wanted=wanted, why=why)
        return
    try:
        got = f"a prompt: {decoded(tokenizer, inputs['input_ids'][0].tolist())!r}"
    except Exception:
        got = f"no error, but {type(inputs).__name__}"
    why = "the model was trained on one format, and answers nonsense to any other: let the template's error through."
    expect(False, call=f"{call_text('Hello')}, tokenizer with {what}", got=got, wanted="the error", why=why)


def sets_nothing_where_it_raises(step: ModuleType, tokenizer: Any, model: ScriptedModel, what: str, said: str) -> None:
    """The template's error is raised, and the tokenizer is afterwards what it was."""
    before = {name: getattr(tokenizer, name) for name in SETTINGS}
    lets_the_error_through(step, tokenizer, model, what, said)
    changed = {name: getattr(tokenizer, name) for name in SETTINGS if getattr(tokenizer, name) != before[name]}
    call, wanted = f"{call_text('Hello')}, tokenizer with {what}", {name: before[name] for name in changed}
    why = "what is set and put back after the call stays set where the call raises: set nothing on the tokenizer."
    expect(not changed, call=call, got=f"tokenizer now with {changed}", wanted=wanted, why=why)


def keeps_control_tokens_out(
    step: ModuleType, tokenizer: Any, model: ScriptedModel, text: str, comes_in: str = COMES_IN
) -> set[str]:
    """The text is refused, or its control tokens are ordinary text. The prompt's marks.

    comes_in: what there is to say of a control token that the text brings in.
    """
    try:
        step.prepare_inputs(tokenizer, model, text)
    except RequestRefused:
        return set()
    except Exception as error:
        if is_not_started(error):
            raise
        why = "a server tells what the caller did wrong from what went wrong with us by the type: RequestRefused."
        got, wanted = f"{type(error).__name__}: {error}", "ordinary text, or a RequestRefused"
        expect(False, call=call_text(text), got=got, wanted=wanted, why=why)
    why = "something was put into the user's text, or taken from it: a control token in it is refused, or stays to the "
    why += "letter and is encoded as ordinary text."
    prompt = expect_prompt(step, tokenizer, model, text, why=why)
    special = {id_ for id_, token in tokenizer.added_tokens_decoder.items() if token.special}
    plain = prepare(step, tokenizer, model, "Hi")
    found, written = (sum(token in special for token in ids) for ids in (prompt.ids, plain.ids))
    wanted = f"{written}, those that the template writes, or a RequestRefused"
    if found < written:
        comes_in = "the template's own control tokens are spelled as ordinary text here: only the user's text is."
    expect(found == written, call=prompt.call, got=f"{found} special tokens", wanted=wanted, why=comes_in)
    texts, others = (_between(tokenizer, ids, special) for ids in (prompt.ids, plain.ids))
    others = [f"{other.removesuffix('Hi')}{text}" if other.endswith("\nHi") else other for other in others]
    why = "the template's own token was taken for the user's text: look for the place where the template puts the text."
    for got, wanted in zip(texts, others, strict=True):
        shown = f"between two special tokens {got!r}"
        expect(got == wanted, call=prompt.call, got=shown, wanted=f"{wanted!r} there", why=why)
    words = re.sub("|".join(re.escape(tokenizer.decode([id_])) for id_ in special), "", text)
    spelled = len(text) - len(words)  # a control token may be
    most = len(plain.ids) + len(tokenizer.encode(words, add_special_tokens=False)) + spelled + 8
    why = "a text with a control token in it has words as well, and they are not spelled: encode them in one piece."
    expect(len(prompt.ids) <= most, call=prompt.call, got=f"{len(prompt.ids)} ids", wanted=f"{most} at most", why=why)
    return prompt.marks


def _between(tokenizer: Any, ids: list[int], special: set[int]) -> list[str]:
    """The texts between the special tokens."""
    runs: list[list[int]] = [[]]
    for id_ in ids:
        if id_ in special:
            runs.append([])
        else:
            runs[-1].append(id_)
    return [decoded(tokenizer, run) for run in runs]
