"""What stands around a term when people ask for it: openers, closers, and whatever other words.

A model that has seen a few hundred wordings takes a new one for a question about something else. So that the term alone
decides, and not the words around it, training also asks in wordings that are worn, dressed up or plain word salad; in
the same way for terms and for nouns that the model does not know.
"""

import re
import tomllib
from pathlib import Path
from random import Random

SOURCE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
OPENERS, CLOSERS, FILLERS = SOURCE["openers"], SOURCE["closers"], SOURCE["fillers"].split()
MARKS = (" ", " ", " ", " ", " ", " ", ", ", ", ", ". ", "? ", ": ", " - ")


def carried(wording: str, rng: Random) -> str:
    """The wording as it is, worn, or thrown away for other words, and at times with something before or after it.

    wording: holds `{x}` or `{bare}`, which stays.
    """
    way = rng.random()
    if way < 0.2:
        wording = salad(rng)
    elif way < 0.5:
        wording = worn(wording, rng)
    if rng.random() < 0.2:
        wording = rng.choice(OPENERS) + wording
    return wording + rng.choice(CLOSERS) if rng.random() < 0.12 else wording


def salad(rng: Random) -> str:
    """A few words that say nothing around the place of the term."""
    words = [rng.choice(FILLERS) for _ in range(rng.randint(1, 9))]
    words.insert(rng.randint(0, len(words)), rng.choice(("{x}", "{bare}")))
    return "".join(word + rng.choice(MARKS) for word in words).strip(" ,:-") + rng.choice(("", "", "?", "."))


def worn(wording: str, rng: Random) -> str:
    """The wording with a word or two changed, lost or added."""
    words = []
    for word in wording.split(" "):
        draw = rng.random()
        if re.search(r"\{\w+\}", word) or draw >= 0.3:
            words.append(word)
        elif draw < 0.15:
            words.append(rng.choice(FILLERS))
        elif draw < 0.22:
            words += [word, rng.choice(FILLERS)]
    return " ".join(words)
