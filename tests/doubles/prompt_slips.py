"""What there is to say of a wrong prompt: it is compared with the renderings that well-known slips lead to."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote, unquote_plus

DEFAULT_SYSTEM = "You are a helpful assistant."
CUT = "a text was cut: no truncation, no max_length, no slice, all of it goes in."
STRAIGHT = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
BY_HAND = "the empty thought was written by hand: with enable_thinking=False the template writes what it knows."
CHANGES = (  # what well-meant code does to a text, and what there is to say of it
    *(
        (strip, "the text was stripped: spaces and line ends belong to it.")
        for strip in (str.strip, str.rstrip, str.lstrip)
    ),
    (lambda text: text.rstrip("\n"), "the text was stripped: spaces and line ends belong to it."),
    (lambda text: "\n".join(text.splitlines()), "the text was split into lines and joined: leave its line ends alone."),
    (lambda text: text.rstrip("\r\n"), "a line end at the end was taken off: it belongs to the text."),
    (lambda text: text.replace("\r\n", "\n").replace("\r", "\n"), "line ends were changed: they stay as they came."),
    (unquote, "percent signs were read as in a web address: they are plain text."),
    (unquote_plus, "percent signs were read as in a web address: they are plain text."),
    (
        lambda text: "".join(c for c in text if c.isprintable() or c in "\n\r\t "),
        "characters that cannot be printed were dropped: some join letters, and all belong to the text.",
    ),
    (lambda text: " ".join(text.split()), "runs of spaces became one: they stay as they came."),
    (lambda text: re.sub(" +", " ", text), "runs of spaces became one: they stay as they came."),
    (
        lambda text: text.translate(STRAIGHT),
        "curly quotes were made straight ones: the text stays as it was typed.",
    ),
    (
        lambda text: re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL),
        "<think> was taken out of a text: whoever wrote it may speak of it, it belongs to the text.",
    ),
    *(
        (partial(unicodedata.normalize, form), f"the text was rewritten in Unicode's {form}: leave it as it came.")
        for form in ("NFC", "NFD", "NFKC", "NFKD")
    ),
)
ROLES = (  # the messages' roles, each with whose text it is, and what there is to say of them
    (
        (("developer", "system"), ("user", "user")),
        "the first message has the role `system`, whatever other services call it.",
    ),
    (
        (("system", "system"), ("human", "user")),
        "the second message has the role `user`, by which the template knows it.",
    ),
    ((("user", "user"), ("system", "system")), "the two messages are in the wrong order: the system's comes first."),
)
OPTIONS = {"add_generation_prompt", "tokenize", "return_tensors", "return_dict", "padding", "truncation", "max_length"}


def render(tokenizer: Any, user: str, system: str | None = DEFAULT_SYSTEM, **options: Any) -> str:
    """The text that the tokenizer's own chat template makes of the messages; no system message where it is None."""
    messages = [] if system is None else [{"role": "system", "content": system}]
    messages.append({"role": "user", "content": user})
    options = {"add_generation_prompt": True, "enable_thinking": False} | options
    return tokenizer.apply_chat_template(messages, tokenize=False, **options)


def slip_of(
    tokenizer: Any, text: str, wanted: str, user: str, system: str, options: Mapping[str, Any] | None = None
) -> str:
    """What there is to say of a text that a well-known slip explains; nothing where none does.

    options: those that the template was handed, where they are known.
    """
    for other, what in _slips(tokenizer, wanted, user, system, options):
        if text == other:
            return what
    if any(_is_cut(text, wanted, whole) for whole in (user, system)):
        return CUT
    if "/no_think" in text and "/no_think" not in wanted:
        is_off = wanted == render(tokenizer, user, system, enable_thinking=True)
        is_off = is_off or (options is not None and options.get("enable_thinking") is False)
        habit = "`/no_think` in a text is one model's habit, and changes what the user wrote."
        return habit if is_off else f"{_thinking(options, user)} {habit}"
    if text.rstrip() == wanted.rstrip() and len(text) < len(wanted):
        return "the template's text was stripped: the line ends it ends in belong to the format."
    if text.endswith(wanted):
        return "something stands before this prompt: an earlier conversation, padding, or a first token too many."
    if text.startswith(wanted) and "</think>" in text.removeprefix(wanted):
        return BY_HAND
    if text.startswith(wanted):
        return "something stands after this prompt: padding, an end token, or a turn too many."
    if options and options.get("continue_final_message") and wanted.startswith(text):
        return (
            "the user's turn is left open (continue_final_message): add_generation_prompt=True closes it, and opens "
            "the assistant's."
        )
    if wanted.startswith(text):
        return CUT
    if text and wanted.endswith(text):
        return f"the beginning is missing, the system message with it: {CUT}"
    if "<|im_start|>" in text and "<|im_start|>" not in wanted:
        return "this format is not the template's: written by hand it fits one model, apply_chat_template fits each."
    if "</think>" in text and "</think>" not in wanted:
        return BY_HAND
    return _frame(text, wanted, user) or _other_system(text, wanted, system)


def _slips(
    tokenizer: Any, wanted: str, user: str, system: str, options: Mapping[str, Any] | None
) -> Iterator[tuple[str, str]]:
    """Texts that slips lead to, each with what there is to say of it."""
    bos, eos = tokenizer.bos_token or "", tokenizer.eos_token or ""
    yield (
        render(tokenizer, user, system, add_generation_prompt=False),
        "the header that opens the assistant's turn is missing (add_generation_prompt=True): the model would go on "
        "with the user's part.",
    )
    yield render(tokenizer, user, system, enable_thinking=True), _thinking(options, user)
    yield render(tokenizer, user), "this is the default system prompt, and another one was given."
    yield (
        render(tokenizer, _without_special(tokenizer, user), system),
        "control tokens were deleted from the user's text without a word: refuse such a text, or encode it plain.",
    )
    doubled = "the template has written its own special tokens: tokenise its text with add_special_tokens=False."
    doubled = (
        doubled if wanted.startswith(bos) else "this template writes no first token, so there is none: add nothing."
    )
    yield from ((bos + wanted, doubled), (bos + wanted + eos, doubled)) if bos else ()
    if bos and wanted.startswith(bos):
        yield wanted.removeprefix(bos), f"the first token is missing: the template writes {bos}, and it stays."
    ended = "an end token was put after the prompt, where the model has nothing to add: append none, and tokenise the "
    yield wanted + eos, f"{ended}template's text with add_special_tokens=False."
    bare = "this is the bare text: a chat model knows its own format, which apply_chat_template writes."
    yield from ((text, bare) for text in (user, *(f"{system}{glue}{user}" for glue in ("\n\n", "\n", " ", ""))))
    options = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": False}
    for roles, what in ROLES:
        messages = [{"role": role, "content": {"system": system, "user": user}[of]} for role, of in roles]
        yield tokenizer.apply_chat_template(messages, **options), what
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    messages.append({"role": "assistant", "content": ""})
    third = "there are exactly two messages: add_generation_prompt=True opens the assistant's turn, and no third does."
    yield tokenizer.apply_chat_template(messages, **options), third
    for others in ({}, {"add_generation_prompt": False}, {"enable_thinking": True}):
        yield render(tokenizer, user, None, **others), "the system message is missing."
        for change, what in CHANGES:
            of_system = what.replace("the text was", "the system prompt was") if change(user) == user else what
            for texts in ((change(user), change(system)), (change(user), system), (user, change(system))):
                yield render(tokenizer, *texts, **others), of_system
        for glue in ("\n\n", "\n", " ", ""):
            merged = "the system prompt stands in the user's message: it has a message of its own."
            yield render(tokenizer, f"{system}{glue}{user}", None, **others), merged


def _thinking(options: Mapping[str, Any] | None, user: str) -> str:
    """Thinking is on: what of the options was to switch it off."""
    if options and options.get("enable_thinking") is False and not options.get("add_generation_prompt"):
        return (
            "there are exactly two messages: a third, empty one opens the assistant's turn as well, yet thinking is "
            "switched off in the header that add_generation_prompt=True writes."
        )
    if options and options.get("enable_thinking") is False:
        return "thinking was switched off rightly, and what the template wrote for it, the empty thought, was cut off."
    why = "thinking is on: enable_thinking=False, the boolean, is an argument of apply_chat_template itself"
    if options is None:
        return f"{why}."
    if options.get("enable_thinking") is True and "/think" in user:
        return "the user's `/think` switched thinking on: it is off whatever a text says."
    meant = [f"{name}={value!r}" for name, value in options.items() if name not in OPTIONS]
    return f"{why}; here it got {', '.join(meant) or 'nothing of the kind'}."


def _without_special(tokenizer: Any, text: str) -> str:
    for token in tokenizer.added_tokens_decoder.values():
        text = text.replace(token.content, "") if token.special else text
    return text


def _is_cut(text: str, wanted: str, whole: str) -> bool:
    """All is in its place, but of a long text only the beginning or the end."""
    before, _, after = wanted.partition(whole or wanted)
    inside = text[len(before) : len(text) - len(after)]
    return (
        len(inside) > 100 and text == before + inside + after and (whole.startswith(inside) or whole.endswith(inside))
    )


def _frame(text: str, wanted: str, user: str) -> str:
    """The user's text stands in its place, with something of somebody else's around it."""
    before, _, after = wanted.rpartition(user) if user else (wanted, "", "")
    if not (user and text.startswith(before) and text.endswith(after)):
        return ""
    inside = text[len(before) : len(text) - len(after)]
    is_framed = user in inside and "<|" not in inside.replace(user, "", 1)
    return "something was put around the prompt: the user's message holds the user's words alone." if is_framed else ""


def _other_system(text: str, wanted: str, system: str) -> str:
    """All is in its place but for the system message, where none was given."""
    before, _, after = wanted.partition(DEFAULT_SYSTEM)
    inside = text[len(before) : len(text) - len(after)]
    if system != DEFAULT_SYSTEM or text != before + inside + after or "<|" in inside:
        return ""
    if system in inside:
        return "something was put to the system prompt: it is the text that the call was given, to the letter."
    return "this is another system prompt than DEFAULT_SYSTEM_PROMPT, and none was given."
