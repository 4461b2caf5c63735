"""Texts that well-meant code changes, and that belong to whoever wrote them: to be handed on to the letter."""

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
