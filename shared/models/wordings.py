"""How people ask what a term means: wordings to train the tiny model on, and others that it never sees in training.

The wordings are in `templates.py`, the terms and their answers in `glossary.toml`. Nothing here knows a model.
"""

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

from shared.models.carriers import carried
from shared.models.templates import HELD_OUT, PLURAL_HELD_OUT, PLURAL_TRAINING, TRAINING

GLOSSARY = Path(__file__).with_name("glossary.toml")
ARTICLES = ("a ", "an ", "the ")
GREETINGS = (
    "Hi, ",
    "Hi! ",
    "Hello, ",
    "Hello! ",
    "Hey, ",
    "hey ",
    "Good morning. ",
    "Hi there, ",
    "OK, ",
    "So, ",
    "Quick one: ",
)


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    asked, asked_plural: noun phrases that fit after "What is" and "What are".
    """

    name: str
    asked: tuple[str, ...]
    asked_plural: tuple[str, ...]
    answer: str

    @property
    def phrases(self) -> tuple[str, ...]:
        """Every phrase that stands for the term, singular ones first."""
        return self.asked + self.asked_plural


def bare(phrase: str) -> str:
    """The phrase without its article. Example: "a KV cache" gives "KV cache"."""
    for article in ARTICLES:
        if phrase.lower().startswith(article):
            return phrase[len(article) :]
    return phrase


def asked(template: str, phrase: str) -> str:
    """The question that a wording makes of a phrase. Example: "Define {bare}." of "a token" gives "Define token."."""
    return template.replace("{x}", phrase).replace("{bare}", bare(phrase))


def terms(path: Path = GLOSSARY) -> list[Term]:
    """The glossary, checked; ValueError says which entry is wrong."""
    with path.open("rb") as file:
        found = [_term(entry) for entry in tomllib.load(file).get("term", [])]
    owner: dict[str, str] = {}
    for term in found:
        for phrase in {bare(phrase).lower() for phrase in term.phrases}:
            if phrase in owner:
                raise ValueError(f"{path.name}: {phrase!r} belongs to {owner[phrase]!r} and to {term.name!r}")
            owner[phrase] = term.name
    return found


def _term(entry: dict) -> Term:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise ValueError(f"glossary: a term needs a name, got {entry!r}")
    phrases = {key: entry.get(key, []) for key in ("asked", "asked_plural")}
    for key, value in phrases.items():
        if not isinstance(value, list) or not all(isinstance(phrase, str) and phrase for phrase in value):
            raise ValueError(f"glossary: {key} of {name!r} must be a list of phrases, got {value!r}")
    if sum(map(len, phrases.values())) < 2:
        raise ValueError(f"glossary: {name!r} needs two phrases or more")
    if not isinstance(entry.get("answer"), str) or not entry["answer"].strip():
        raise ValueError(f"glossary: {name!r} needs an answer")
    return Term(name, tuple(phrases["asked"]), tuple(phrases["asked_plural"]), entry["answer"])


def training_question(term: Term, rng: random.Random) -> str:
    """A question about the term, in one of the wordings for training, as carelessly typed as people type."""
    phrase = rng.choice(term.phrases)
    wordings = PLURAL_TRAINING if phrase in term.asked_plural else TRAINING
    return noisy(asked(carried(rng.choice(wordings), rng), phrase), rng)


def noisy(question: str, rng: random.Random) -> str:
    """The question as somebody types it: perhaps in lower case, with other punctuation, after a greeting."""
    if rng.random() < 0.25:
        question = question.lower()
    elif rng.random() < 0.5:
        question = question[:1].upper() + question[1:]
    ending = rng.random()
    if ending < 0.2:
        question = question.rstrip("?.!")
    elif ending < 0.25 and question.endswith(("?", "!")):
        question += question[-1]
    elif ending < 0.28:
        question = question.rstrip("?.!") + " ?"
    if rng.random() < 0.08:
        question = rng.choice(GREETINGS) + question
    if rng.random() < 0.05:
        question += rng.choice((" Thanks", " Thank you!", " please", " Please be brief."))
    return question


def held_out_questions(terms: list[Term], rng_seed: int, count: int) -> list[tuple[str, Term]]:
    """`count` questions in wordings that training never uses, and the term that each asks for.

    The terms take turns, each with another held-out wording at every turn.
    """
    most = len(terms) * len(HELD_OUT)
    if not 0 <= count <= most:
        raise ValueError(f"count must be 0 to {most}, got {count}")
    rng = random.Random(rng_seed)
    questions = {term.name: _all_held_out(term, rng) for term in terms}
    turns = [term for _ in range(-(-count // len(terms))) for term in terms][:count]
    return [(questions[term.name].pop(), term) for term in turns]


def _all_held_out(term: Term, rng: random.Random) -> list[str]:
    wordings = {template: term.asked for template in HELD_OUT if term.asked}
    for template in PLURAL_HELD_OUT if term.asked_plural else ():
        wordings[template] = wordings.get(template, ()) + term.asked_plural
    order = rng.sample(sorted(wordings), len(wordings))
    return [asked(template, rng.choice(wordings[template])) for template in order]
