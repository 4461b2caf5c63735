"""The words of the stories: the nouns with their place, the adjectives with their plot, and the table of sentences.

Reads the sentences from `stories.toml`. Knows no request, and not how a story is put together.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Noun:
    word: str
    kind: str
    place: str
    name: str = ""
    sign: bool = False
    emoji: str = ""
    pronoun: str = "it"


@dataclass(frozen=True)
class Place:
    where: str
    detail: str
    sign: str
    helper: str
    arrival: str
    endings: list[str]


@dataclass(frozen=True)
class Plot:
    wishes: list[str]
    trouble: str
    advice: str
    deed: str
    results: list[str]


def _all(kind: str, place: str, words: str) -> list[Noun]:
    return [Noun(word, kind, place) for word in words.split()]


VERBS = {
    "animal": "lived",
    "person": "lived",
    "toy": "lived",
    "plant": "grew",
    "vehicle": "stood",
    "machine": "stood",
    "thing": "was",
}
PRONOUNS = {
    "it": ("it", "its", "it", "itself"),
    "he": ("he", "his", "him", "himself"),
    "she": ("she", "her", "her", "herself"),
}

_NOUNS = [
    Noun("kite", "toy", "park", emoji="🪁"),
    Noun("balloon", "toy", "park", emoji="🎈"),
    Noun("dog", "animal", "park", name="Åsa", pronoun="she"),
    Noun("squirrel", "animal", "park", name="Noël", pronoun="he"),
    Noun("bicycle", "vehicle", "park", sign=True),
    *_all("toy", "park", "ball"),
    Noun("fox", "animal", "forest", name="Zoé", emoji="🦊", pronoun="she"),
    Noun("bear", "animal", "forest", name="Björn", pronoun="he"),
    Noun("owl", "animal", "forest", emoji="🌙"),
    Noun("mushroom", "plant", "forest", emoji="🍄"),
    Noun("wolf", "animal", "forest", sign=True),
    *_all("animal", "forest", "deer hedgehog rabbit"),
    *_all("plant", "forest", "tree"),
    Noun("turtle", "animal", "pond", emoji="🐢"),
    Noun("frog", "animal", "pond", emoji="🐸"),
    Noun("duck", "animal", "pond", name="Maël", pronoun="he"),
    Noun("swan", "animal", "pond", sign=True),
    *_all("animal", "pond", "fish"),
    Noun("whale", "animal", "harbour", emoji="🐳"),
    Noun("boat", "vehicle", "harbour", sign=True),
    Noun("lighthouse", "machine", "harbour", sign=True),
    Noun("sailor", "person", "harbour", name="Søren", pronoun="he"),
    Noun("pirate", "person", "harbour", name="André", pronoun="he"),
    *_all("animal", "harbour", "crab seagull penguin"),
    *_all("vehicle", "harbour", "ship"),
    Noun("donkey", "animal", "farm", name="José", pronoun="he"),
    Noun("farmer", "person", "farm", pronoun="she"),
    Noun("hen", "animal", "farm", name="Chloé", pronoun="she"),
    *_all("animal", "farm", "cow horse pig sheep goat"),
    Noun("tractor", "vehicle", "farm", sign=True),
    Noun("bee", "animal", "garden", emoji="🐝"),
    Noun("sunflower", "plant", "garden", emoji="🌻"),
    Noun("rose", "plant", "garden", sign=True),
    Noun("gardener", "person", "garden", name="Jürgen", pronoun="he"),
    *_all("animal", "garden", "snail butterfly"),
    *_all("plant", "garden", "pumpkin"),
    Noun("lion", "animal", "jungle", emoji="🦁"),
    Noun("elephant", "animal", "jungle", name="André", pronoun="he"),
    Noun("tiger", "animal", "jungle", sign=True),
    *_all("animal", "jungle", "monkey"),
    Noun("train", "vehicle", "station", sign=True),
    Noun("bus", "vehicle", "station", emoji="🚌"),
    *_all("vehicle", "station", "tram car"),
    *_all("thing", "station", "suitcase"),
    Noun("teapot", "thing", "kitchen", sign=True),
    Noun("cat", "animal", "kitchen", name="Zoé", pronoun="she"),
    Noun("baker", "person", "kitchen", name="François", pronoun="he"),
    *_all("animal", "kitchen", "mouse"),
    *_all("thing", "kitchen", "cup spoon"),
    Noun("robot", "machine", "workshop", sign=True),
    Noun("computer", "machine", "workshop", emoji="⭐"),
    Noun("lamp", "machine", "workshop", sign=True),
    *_all("machine", "workshop", "clock radio server"),
    Noun("dragon", "animal", "mountain", sign=True),
    Noun("bird", "animal", "mountain", name="Anaïs", pronoun="she"),
    *_all("thing", "mountain", "tent"),
    *_all("plant", "mountain", "flower"),
    Noun("teacher", "person", "school", name="Renée", pronoun="she"),
    Noun("girl", "person", "school", name="Anaïs", pronoun="she"),
    Noun("boy", "person", "school", name="José", pronoun="he"),
    Noun("book", "thing", "school", sign=True),
    *_all("thing", "school", "pencil"),
    Noun("doll", "toy", "toyshop", name="Renée", pronoun="she"),
    Noun("drum", "toy", "toyshop", sign=True),
    *_all("toy", "toyshop", "puppet"),
    Noun("star", "thing", "sky", emoji="⭐"),
    Noun("moon", "thing", "sky", emoji="🌙"),
    Noun("rocket", "vehicle", "sky", emoji="🚀"),
    Noun("plane", "vehicle", "sky", sign=True),
    *_all("thing", "sky", "cloud"),
    Noun("king", "person", "castle", name="Björn", pronoun="he"),
    Noun("princess", "person", "castle", name="Zoé", pronoun="she"),
    Noun("queen", "person", "castle", sign=True, pronoun="she"),
    *_all("animal", "castle", "ghost"),
    Noun("knight", "person", "castle", pronoun="he"),
    Noun("wizard", "person", "castle", emoji="⭐", pronoun="he"),
]
NOUNS = {noun.word: noun for noun in _NOUNS}

_PLOT_WORDS = {
    "warm": "red orange yellow golden pink purple",
    "cool": "blue white silver grey",
    "hidden": "green brown black",
    "small": "small tiny little",
    "big": "big huge tall",
    "sleepy": "sleepy tired",
    "brave": "brave",
    "shy": "shy quiet",
    "lonely": "lonely sad",
    "happy": "happy cheerful funny",
    "curious": "curious clever",
    "old": "old forgotten",
    "new": "new young",
    "lost": "lost",
    "loud": "loud noisy",
    "slow": "slow lazy",
    "busy": "busy quick",
    "grumpy": "grumpy angry",
    "proud": "proud shiny",
    "kind": "kind friendly",
    "clumsy": "clumsy",
}
ADJECTIVES = {word: plot for plot, words in _PLOT_WORDS.items() for word in words.split()}
NOT_FOR_PERSONS = {word for word, plot in ADJECTIVES.items() if plot in ("warm", "cool", "hidden")} | {"shiny"}

_SENTENCES = tomllib.loads((Path(__file__).parent / "stories.toml").read_text(encoding="utf-8"))
PLACES = {key: Place(**values) for key, values in _SENTENCES["places"].items()}
PLOTS = {key: Plot(**values) for key, values in _SENTENCES["plots"].items()}
