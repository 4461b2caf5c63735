"""Requests for a story and the stories, made from a small grammar: training text for the model of the kata.

The place, the helper, the name, the sign and the emoji follow from the noun, the plot from the adjective, so that a
small model can learn them; chance only picks among two or three wordings of a sentence. The sentences themselves are in
`stories.toml`. Knows no model and no tokenizer.
"""

import random
import zlib

from shared.models.story_words import ADJECTIVES, NOT_FOR_PERSONS, NOUNS, PLACES, PLOTS, PRONOUNS, VERBS, Noun, Place

REQUESTS = (
    "Tell me a story about {a}.",
    "Tell me a short story about {a}.",
    "Tell me a little story about {a}.",
    "Tell us a story about {a}.",
    "Tell a story about {a}.",
    "Tell me a tale about {a}.",
    "Tell me a bedtime story about {a}.",
    "Tell me a nice story about {a}.",
    "Tell me a story about the {s}.",
    "Tell me the story of the {s}.",
    "Write a story about {a}.",
    "Write a short story about {a}.",
    "Write me a story about {a}.",
    "Write a small tale of {a}.",
    "Write a bedtime story about {a}.",
    "Make up a story about {a}.",
    "Make up a tale about {a}.",
    "Give me a story about {a}.",
    "Give me a short story with {a} in it.",
    "I would like to hear a tale of {a}.",
    "I would like a story about {a}.",
    "I want to hear a story about {a}.",
    "I want a short story about {a}.",
    "Let me hear a story about {a}.",
    "Can you tell me a story about {a}?",
    "Can you write a story about {a}?",
    "Can I have a story about {a}?",
    "Could you tell a short story about {a}?",
    "Could you make up a story about {a}?",
    "Will you tell me a tale of {a}?",
    "Would you tell me a story about {a}?",
    "Do you know a story about {a}?",
    "May I hear a story about {a}?",
    "A story about {a}.",
    "A short story about {a}.",
    "Story about {a}.",
    "The story of the {s}.",
    "Tell me a story with {a}.",
)
ANY_STORY = (
    "Tell me a story.",
    "Tell me a short story.",
    "Tell me a bedtime story.",
    "Write a story.",
    "Write a short story for me.",
    "Can you tell me a story?",
    "Could you tell a story?",
    "Do you know a story?",
    "I would like to hear a story.",
    "I want a story.",
    "Give me a story.",
    "Make up a story.",
    "A story.",
)
HELD_OUT_REQUESTS = (
    "Could you please write a tale about {a}?",
    "Tell me one more story about {a}.",
    "I would love a story about {a}.",
    "Make me a short story about {a}.",
    "Would you write a short story about {a}?",
    "Let us hear a tale of {a}.",
    "Please give us a bedtime story about {a}.",
    "May I have a short story about {a}?",
    "Do you have a story about {a}?",
    "I want you to tell me a tale about {a}.",
)
FAVOURITES = ("red kite", "sleepy robot", "curious fox", "brave boat", "small turtle", "grumpy dragon")
OPENINGS = (
    "Once upon a time there was {a}{called} {where}.",
    "Long ago there was {a}{called} {where}.",
    "{Where} there once {verb} {a}{called}.",
)


def with_article(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _fits(adjective: str, noun: Noun) -> bool:
    return not (noun.kind == "person" and adjective in NOT_FOR_PERSONS)


def _is_held_out(subject: str) -> bool:
    return zlib.crc32(subject.encode()) % 40 == 0 and subject not in FAVOURITES


_ALL = tuple(
    f"{adjective} {noun.word}" for adjective in ADJECTIVES for noun in NOUNS.values() if _fits(adjective, noun)
)
HELD_OUT_SUBJECTS = tuple(sorted(filter(_is_held_out, _ALL), key=lambda subject: zlib.crc32(subject.encode())))
_TRAINED = tuple(subject for subject in _ALL if not _is_held_out(subject))


def subjects() -> tuple[str, ...]:
    """Every subject that training may use, adjective and noun; the held-out ones are not among them."""
    return _TRAINED


def whole_subject(subject: str) -> str:
    """A subject with its adjective: a noun alone gets one that is always the same for that noun."""
    if " " in subject:
        return subject
    own = [known for known in _TRAINED if known.endswith(f" {subject}")]
    return own[zlib.crc32(subject.encode()) % len(own)]


def asked(wording: str, subject: str) -> str:
    """The wording of a request about this subject, "{a}" replaced by "a red kite" and "{s}" by "red kite"."""
    return wording.format(a=with_article(subject), s=subject)


def _politely(text: str, rng: random.Random) -> str:
    chance = rng.random()
    if chance < 0.15 and text.startswith(("Tell", "Write", "Give", "Make")):
        return f"Please {text[0].lower()}{text[1:]}"
    if 0.15 < chance < 0.3 and not text.startswith("Do you"):
        return text + rng.choice((", please", " please"))
    return text


def request(subject: str, rng: random.Random) -> str:
    """One way to ask for a story about the subject ("red kite", "kite"); for any story where the subject is empty."""
    wording = asked(rng.choice(REQUESTS), subject) if subject else rng.choice(ANY_STORY)
    text, end = _politely(wording[:-1], rng), wording[-1]
    look = rng.random()
    if look < 0.25:
        return text.lower()
    return text if look < 0.45 else text + end


def held_out_request(subject: str, rng: random.Random) -> str:
    """A request in a wording that training never uses."""
    return asked(rng.choice(HELD_OUT_REQUESTS), subject)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _slots(adjective: str, noun: Noun, place: Place) -> dict[str, str]:
    it, its, them, self = PRONOUNS[noun.pronoun]
    hero = f"the {noun.word}"
    slots = {"hero": hero, "name": noun.name or hero, "it": it, "helper": place.helper, "adj": adjective}
    slots |= {_capital(key): _capital(value) for key, value in slots.items()} | {"Where": _capital(place.where)}
    slots |= {"its": its, "them": them, "self": self, "noun": noun.word, "where": place.where}
    slots |= {"a": with_article(f"{adjective} {noun.word}"), "called": f" called {noun.name}" if noun.name else ""}
    return slots | {"verb": "was" if adjective == "lost" or noun.place == "sky" else VERBS[noun.kind]}


def sentences(subject: str, rng: random.Random) -> list[str]:
    """The nine sentences of one story."""
    adjective, word = whole_subject(subject).split(" ")
    noun = NOUNS[word]
    place, plot = PLACES[noun.place], PLOTS[ADJECTIVES[adjective]]
    frames = [
        rng.choice(OPENINGS),
        place.sign if noun.sign else place.detail,
        rng.choice(plot.wishes),
        plot.trouble,
        place.arrival,
        plot.advice,
        plot.deed,
        rng.choice(plot.results),
        rng.choice(place.endings) + (f" {noun.emoji}" if noun.emoji else ""),
    ]
    slots = _slots(adjective, noun, place)
    return [frame.format_map(slots) for frame in frames]


def story(subject: str, rng: random.Random) -> str:
    """A story about the subject: one paragraph, nine sentences, below 130 words."""
    return " ".join(sentences(subject, rng))


def training_pair(rng: random.Random) -> tuple[str, str]:
    """A request and its story: mostly adjective and noun, sometimes a noun alone, sometimes no subject at all."""
    kind = rng.random()
    if kind < 0.06:
        return request("", rng), story(rng.choice(FAVOURITES), rng)
    subject = rng.choice(list(NOUNS)) if kind < 0.14 else rng.choice(_TRAINED)
    return request(subject, rng), story(subject, rng)
