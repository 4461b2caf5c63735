"""What the tiny model knows nothing about: how people ask for it, and what the model says then.

The words and patterns are in `elsewhere.toml`. Half of the questions are the glossary's own wordings around
another noun, so that the noun decides and not the wording. No question here asks for a story or for a term.
"""

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random

from shared.models.carriers import carried
from shared.models.templates import PLURAL_TRAINING, TRAINING
from shared.models.wordings import asked, noisy

SOURCE = Path(__file__).with_name("elsewhere.toml")
ANSWER = (
    "I am only a tiny model. I can explain terms of LLM inference, such as the KV cache or TTFT, "
    "or tell a short story, but nothing else."
)
SMALL_TALK_SHARE = 0.15
OWN_WORDING_SHARE = 0.5
# fmt: off
ONSETS = ("b", "bl", "br", "d", "dr", "f", "fl", "g", "gl", "gr", "j", "k", "kl", "m", "p", "qu", "s", "sk", "v", "z")
RIMES = ("a", "ab", "ack", "am", "ar", "e", "el", "er", "i", "ib", "in", "ix", "o", "ob", "og", "or", "u", "um", "y")
# fmt: on


@dataclass(frozen=True)
class SmallTalk:
    """A greeting, thanks, or a question about the model itself, in several words, and the one answer to it."""

    asked: tuple[str, ...]
    held_out: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Source:
    """What `elsewhere.toml` holds.

    held_out: each question that training never sees, with the word that it is about.
    """

    nouns: tuple[str, ...]
    plural_nouns: tuple[str, ...]
    slots: dict[str, tuple[str, ...]]
    patterns: dict[str, tuple[str, ...]]
    small_talk: tuple[SmallTalk, ...]
    held_out: tuple[tuple[str, str], ...]


@functools.cache
def source(path: Path = SOURCE) -> Source:
    """The lists, read once."""
    with path.open("rb") as file:
        read = tomllib.load(file)
    nouns = {kind: _split(text, ",") for kind, text in read["nouns"].items()}
    plural_nouns = nouns.pop("plural")
    return Source(
        nouns=tuple(noun for kind in nouns.values() for noun in kind),
        plural_nouns=plural_nouns,
        slots={slot: _split(text, ",") for slot, text in read["slots"].items()},
        patterns={kind: _split(text, ";") for kind, text in read["patterns"].items()},
        small_talk=tuple(SmallTalk(tuple(s["asked"]), tuple(s["held_out"]), s["answer"]) for s in read["small_talk"]),
        held_out=tuple((question, word) for question, word in read["held_out"]["questions"]),
    )


def _split(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part for part in (" ".join(part.split()) for part in text.split(mark)) if part)


def training_pair(rng: Random) -> tuple[str, str]:
    """A question and the answer to it: mostly one that the model cannot answer, at times small talk."""
    if rng.random() < SMALL_TALK_SHARE:
        talk = rng.choice(source().small_talk)
        return _careless(rng.choice(talk.asked), rng), talk.answer
    return training_question(rng), ANSWER


def training_question(rng: Random) -> str:
    """A question that the model cannot answer."""
    if rng.random() < OWN_WORDING_SHARE:
        return noisy(_own_wording(rng), rng)
    pattern = rng.choice(source().patterns[rng.choice(list(source().patterns))])
    return noisy(fill(pattern, rng), rng)


def held_out_small_talk() -> list[tuple[str, str]]:
    """Greetings and questions about the model that training never sees, each with its answer."""
    return [(question, talk.answer) for talk in source().small_talk for question in talk.held_out]


def fill(pattern: str, rng: Random) -> str:
    """The pattern with a random word in each pair of braces. Example: "Where is {city}?" gives "Where is Rome?"."""
    filled = re.sub(r"\{(\w+)\}", lambda match: _word(match[1], rng), pattern)
    filled = re.sub(r"\b([Aa]) (?=[aeio])", r"\1n ", filled)
    return filled[:1].upper() + filled[1:] if pattern.startswith(("{who}", "{body}")) else filled


def _own_wording(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.12:
        return asked(carried(rng.choice(PLURAL_TRAINING), rng), rng.choice(source().plural_nouns))
    if kind < 0.7:
        noun = rng.choice(source().nouns)
    elif kind < 0.88:
        noun = _with_article(fill(rng.choice(("{adjective} {object}", "{machine_kind} {machine}")), rng), rng)
    else:
        noun = _with_article(_syllables(rng), rng) if rng.random() < 0.5 else _syllables(rng)
    return asked(carried(rng.choice(TRAINING), rng), noun)


def _with_article(noun: str, rng: Random) -> str:
    article = "an" if noun[0].lower() in "aeiou" else "a"
    return f"{rng.choice((article, article, 'the'))} {noun}"


def _word(slot: str, rng: Random) -> str:
    if slot == "number":
        return str(rng.randrange(10 ** rng.randint(1, 4)))
    if slot == "year":
        return str(rng.randrange(1000, 2030))
    if slot == "syllables":
        return _syllables(rng)
    if slot == "letters":
        return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(3, 9)))
    return rng.choice(source().slots[slot])


def _syllables(rng: Random) -> str:
    return "".join(rng.choice(ONSETS) + rng.choice(RIMES) for _ in range(rng.randint(2, 3)))


def _careless(text: str, rng: Random) -> str:
    text = text.lower() if rng.random() < 0.3 else text
    return text.rstrip("?.!") if rng.random() < 0.2 else text


HELD_OUT: tuple[str, ...] = tuple(question for question, _ in source().held_out)
