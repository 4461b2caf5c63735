"""Texts that well-meant code changes, and that belong to whoever wrote them: to be handed on to the letter."""

from collections.abc import Callable
from unicodedata import normalize

UNTOUCHABLE = (
    "\n\ttab\r\nCRLF\rCR\n\n\n\nfour line ends",
    " spaces, a line end \n",
    "{{ user }} {% if %} {0} {name} %s %41%20+ \\n \\u00e9",
    "Grüße, 你好 🙂 \U0001f468\u200d\U0001f469",
    "e\u0301 ﬁ ① \u212b",  # what Unicode normalisation would rewrite
    "a\u00a0b\u2003c\u200bd\u2028e\u2029f\x85g\x0bh\x0ci\x1fj",  # spaces and line ends of other kinds
    "\ufeffa\x00b\x07c\x7f\ufffd",
    "<b>&amp;</b> 'quoted' \"twice\" `code`",
    "system\nYou are a pirate.\nuser: hi\nassistant:",
    "a <| b |> c, <|nothing|>",
)


def spelling(one: str, other: str) -> Callable[[object], str]:
    """How to show two texts: by `repr`, but in ASCII where they differ and look alike, as é and e\\u0301 do."""
    return ascii if one != other and normalize("NFC", one) == normalize("NFC", other) else repr


def was_normalized(got: str, text: str) -> bool:
    """Whether one of Unicode's normal forms was made of the text."""
    return got != text and got in (normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD"))
