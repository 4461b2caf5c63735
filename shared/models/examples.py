"""What `tiny` learns from: one conversation after another, from the glossary, the stories and what lies elsewhere.

Every text is our own: terms and answers by hand, questions and stories by a grammar in code. Nothing here knows tokens.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from shared.models import elsewhere, stories, wordings

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."
OTHER_SYSTEM_PROMPTS = (
    "",
    "",
    "You are a teacher.",
    "You are a friendly guide to inference servers.",
    "Answer in one sentence.",
    "Be brief.",
    "You explain the words of this field to newcomers.",
    "You tell stories to children.",
)


@dataclass(frozen=True)
class Example:
    """One conversation: what stands before the answer, and the answer that the model shall give.

    thought: what it writes between its think marks first; None where thinking is switched off by the prompt.
    """

    system: str | None
    user: str
    answer: str
    thought: str | None = None

    @property
    def messages(self) -> list[dict[str, str]]:
        system = [] if self.system is None else [{"role": "system", "content": self.system}]
        return [*system, {"role": "user", "content": self.user}]

    @property
    def target(self) -> str:
        """What the model has to say, up to the end of its turn."""
        return self.answer if self.thought is None else f"<think>\n{self.thought}\n</think>\n\n{self.answer}"


def examples(seed: int, shares: tuple[int, int, int] = (56, 17, 27)) -> Iterator[Example]:
    """Endless; one seed, one sequence. shares: of terms, of stories, and of what lies elsewhere, in percent."""
    rng = Random(seed)
    terms = wordings.terms()
    while True:
        kind = rng.choices(("term", "story", "elsewhere"), shares)[0]
        if kind == "term":
            term = rng.choice(terms)
            user, answer, thought = wordings.training_question(term, rng), term.answer, f"They ask about {term.name}."
        elif kind == "story":
            user, answer = stories.training_pair(rng)
            thought = "They want a story."
        else:
            user, answer = elsewhere.training_pair(rng)
            thought = "This is not about a term of mine."
        yield Example(_system_prompt(rng), user, answer, thought if rng.random() < 0.06 else None)


def _system_prompt(rng: Random) -> str | None:
    draw = rng.random()
    if draw < 0.7:
        return DEFAULT_SYSTEM_PROMPT
    return None if draw < 0.75 else rng.choice(OTHER_SYSTEM_PROMPTS)
