"""Verdicts on a prompt: one strict call, compared with what the chat template itself makes of the two messages.

Where they differ, `prompt_slips.py` knows which well-known slip explains it.
"""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from kata.causes import sentence_on
from kata.failure import CheckFailure, expect
from tests.doubles.draws import is_not_started
from tests.doubles.elsewhere import elsewhere
from tests.doubles.prompt_slips import DEFAULT_SYSTEM, render, slip_of

_LONG_REPR = re.compile(r"\b(\w*Tokeniz\w+)\(name_or_path=.*\}\s*\)", re.DOTALL)
PLAIN = "prompt, tokenizer and model are plain ones: the call must not raise."

CAUSES = (  # what an error says, and what is behind it
    (
        r"resize_token_embeddings",
        "a token was added to the tokenizer, which every request shares: nothing is padded, so no pad token is needed.",
    ),
    (
        r"int too big to convert",
        "nothing is cut: leave truncation and max_length out. A tokenizer that knows of no limit says 1e30.",
    ),
    (r"^RequestRefused", "no special token of this tokenizer is in this text: ordinary text is never refused."),
    (
        r'not "list"\) to str',
        "the content of a message is a str here: a list of parts is for models that see pictures.",
    ),
    (
        r"must be Tensor, not (Batch)?Encoding|(BatchEncoding|Encoding|dict).* has no attribute",
        "apply_chat_template gives a mapping since transformers 5, with ids and mask in it, and no tensor.",
    ),
)


@dataclass(frozen=True)
class Prompt:
    """What `prepare_inputs` gave, as plain numbers."""

    call: str
    ids: list[int]
    mask: list[int]
    marks: set[str]  # what the template was given in the place of a text, where that is known


def call_text(user: str, system: str | None = None) -> str:
    """The call as a learner would write it; a long text by its length."""
    texts = [user] if system is None else [user, system]
    shown = [repr(text) if len(text) < 120 else f"<{len(text)} characters>" for text in texts]
    return f"prepare_inputs(tokenizer, model, {', '.join(shown)})"


def inputs_of(
    step: ModuleType, tokenizer: Any, model: Any, user: str, system: str | None = None, why: str = PLAIN
) -> Mapping[str, Tensor]:
    """What a call gives: a mapping of tensors, the two that count of shape (1, length) and of whole numbers.

    why: what there is to say of an error.
    """
    call, given = call_text(user, system), {} if system is None else {"system_prompt": system}
    try:
        inputs = step.prepare_inputs(tokenizer, model, user, **given)
    except Exception as error:
        if is_not_started(error):
            raise
        text = _LONG_REPR.sub(r"\1(…)", f"{type(error).__name__}: {error}").split("\n")[0][:200]
        if why is PLAIN and text.startswith("RequestRefused") and len(f"{user}{system or ''}") > 1000:
            why = "a long prompt is not refused here: whether it fits is asked later, when the limit is known."
        elif why is PLAIN and text.startswith("RequestRefused") and _adds_tokens(tokenizer, user):
            why = (
                "encoding the user's text adds the tokenizer's own first token, which the user did not write: look for "
            )
            why += "special tokens in the text itself, or encode it with add_special_tokens=False."
        elif why is PLAIN:
            found = (cause for pattern, cause in CAUSES if re.search(pattern, text))
            why = next(found, "") or sentence_on(error) or PLAIN
        raise CheckFailure(call=call, got=text, wanted="input_ids and attention_mask", why=why) from error

    why = "apply_chat_template gives ids and mask with return_dict=True, and torch tensors with return_tensors='pt'."
    is_mapping = isinstance(inputs, Mapping)
    got = ", ".join(f"{name}: {type(value).__name__}" for name, value in inputs.items()) if is_mapping else type(inputs)
    is_right = is_mapping and all(isinstance(value, Tensor) for value in inputs.values())
    is_right = is_right and {"input_ids", "attention_mask"} <= set(inputs)
    if is_mapping and all(isinstance(inputs.get(name), Tensor) for name in ("input_ids", "attention_mask")):
        why = "every value is a tensor, for the model takes all of them: what else is to be known has no place in here."
    expect(is_right, call=call, got=got, wanted="a mapping: input_ids: Tensor, attention_mask: Tensor", why=why)
    length = inputs["input_ids"].shape[-1] if inputs["input_ids"].dim() else 0
    for name in ("input_ids", "attention_mask"):
        tensor = inputs[name]
        is_right = tuple(tensor.shape) == (1, length) and length > 0 and _holds_integers(tensor)
        is_right = is_right and (name != "input_ids" or tensor.dtype in (torch.int32, torch.int64))
        got = f"{name} of shape {tuple(tensor.shape)}, {tensor.dtype}"
        kind = "int64 or int32" if name == "input_ids" else "an integer type"
        wanted = f"{name} of shape (1, {length or 'length'}), {kind}"
        why = "a model takes a batch, here of one prompt: one row of whole numbers, a place in the mask for each."
        if _holds_integers(tensor) and tensor.dtype not in (torch.int32, torch.int64):
            why = f"a model looks ids up by int64 or int32, and not by {tensor.dtype}: leave the type as it came."
        expect(is_right, call=call, got=got, wanted=wanted, why=why)
    return inputs


def prepare(step: ModuleType, tokenizer: Any, model: Any, user: str, system: str | None = None) -> Prompt:
    """One call, with a model on the CPU, and what it gave as plain numbers."""
    if hasattr(tokenizer, "last_conversation"):
        tokenizer.last_conversation = []
    inputs = inputs_of(step, tokenizer, model, user, system)
    marks = _contents(tokenizer) - {"", user, DEFAULT_SYSTEM if system is None else system}
    ids, mask = (Tensor.tolist(inputs[name].detach())[0] for name in ("input_ids", "attention_mask"))
    return Prompt(call_text(user, system), [int(token) for token in ids], [int(place) for place in mask], marks)


def expect_prompt(
    step: ModuleType,
    tokenizer: Any,
    model: Any,
    user: str,
    system: str | None = None,
    beginning: str | None = None,
    why: str = "the prompt is the template's rendering, to the letter.",
) -> Prompt:
    """The decoded prompt is the template's rendering of the two messages, the assistant's turn opened, thinking off.

    beginning: compare with this much of it only. why: what there is to say where no well-known slip explains it.
    """
    prompt = prepare(step, tokenizer, model, user, system)
    options = getattr(tokenizer, "last_options", None)
    text, system = decoded(tokenizer, prompt.ids), DEFAULT_SYSTEM if system is None else system
    wanted = render(tokenizer, user, system)
    if not (text == wanted if beginning is None else text.startswith(beginning)):
        got, shown = _around_difference(text, wanted)
        why = slip_of(tokenizer, text, wanted, user, system, options) or why
        expect(False, call=prompt.call, got=got, wanted=shown, why=why)
    return prompt


def expect_no_mark(step: ModuleType, tokenizer: Any, model: Any, user: str, marks: set[str]) -> None:
    """Texts that contain what stood in the place of a text at an earlier call are texts like others."""
    for mark in sorted(marks)[:1]:
        why = f"the template was given a mark, {mark!r}, in the place of a text, and a text may hold it: give the "
        why += "template the texts themselves, or make another mark for each call (secrets.token_hex)."
        texts = f"{user} {mark}", f"Say {mark}."
        inputs_of(step, tokenizer, model, *texts, why=why)
        expect_prompt(step, tokenizer, model, *texts, why=why)


def expect_there(step: ModuleType, tokenizer: Any, model: Any) -> Mapping[str, Tensor]:
    """Every tensor is on the model's device, and the model is where it was. `meta` stands for any other device."""
    device, call = str(model.device), f"{call_text('Hello')}, model on {model.device}"
    why = "the model stays where it is: move the inputs to the model, not the model to its inputs."
    with elsewhere() if device == "meta" else nullcontext():
        inputs = inputs_of(step, tokenizer, model, "Hello", why=why)
    expect(str(model.device) == device, call=call, got=f"model on {model.device}", wanted=f"model on {device}", why=why)
    for name, tensor in inputs.items():
        got, wanted = f"{name} on {tensor.device}", f"{name} on {device}"
        why = "a model cannot read tensors of another device: every one goes to `model.device`, the mask as well, and "
        why += "whatever else a tokenizer gives."
        expect(str(tensor.device) == device, call=call, got=got, wanted=wanted, why=why)
    return inputs


def decoded(tokenizer: Any, ids: list[int]) -> str:
    """All of the text, special tokens too."""
    return tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)


def _contents(tokenizer: Any) -> set[str]:
    """What the template was given last, where the tokenizer notes it."""
    turns = getattr(tokenizer, "last_conversation", ())
    contents = [turn.get("content") for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []
    return {content for content in contents if isinstance(content, str)}


def _adds_tokens(tokenizer: Any, text: str) -> bool:
    return tokenizer.encode(text) != tokenizer.encode(text, add_special_tokens=False)


def _holds_integers(tensor: Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype is torch.bool)


def _around_difference(text: str, wanted: str) -> list[str]:
    """Both texts from a little before their first difference on, cut short."""
    pairs = enumerate(zip(text, wanted, strict=False))
    at = next((at for at, (left, right) in pairs if left != right), min(len(text), len(wanted)))
    start, end = max(0, at - 30), max(0, at - 30) + 110
    return ["…" * (start > 0) + repr(whole[start:end]) + "…" * (len(whole) > end) for whole in (text, wanted)]
