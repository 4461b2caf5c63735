"""One comparison: what was asked for, what was read, what follows. The table, the plot and the JSON are views of it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kata.compare.figures import Curve, curve_of, figures_of, oddities, prompt_tokens
from kata.compare.readings import Reading
from kata.spread import Spread


@dataclass(frozen=True)
class Model:
    """The model that ran, and on what. context: None where it names no limit."""

    name: str  # as it was asked for: a word, a hub id, a folder
    parameters: int
    context: int | None
    device: str
    dtype: str

    @property
    def title(self) -> str:
        """The name, of a folder only its last part."""
        return Path(self.name).name if Path(self.name).is_absolute() else self.name


@dataclass(frozen=True)
class Comparison:
    """lent: engine to the steps that the reference stands in for, each with the reason."""

    model: Model
    impl: str
    lent: dict[str, dict[int, str]]
    prompts: list[str]
    new_tokens: int
    rounds: int
    readings: list[Reading]
    made_with: dict[str, object]

    @cached_property
    def engines(self) -> list[str]:
        """In the order in which they were asked for."""
        return list(self.lent)

    @cached_property
    def figures(self) -> dict[str, dict[str, Spread]]:
        return {engine: figures_of(engine, self.readings) for engine in self.engines}

    @cached_property
    def curves(self) -> dict[str, Curve]:
        return {engine: curve_of(engine, self.readings) for engine in self.engines}

    @cached_property
    def prompt_tokens(self) -> list[int]:
        return prompt_tokens(self.readings)

    @cached_property
    def notes(self) -> list[str]:
        """What makes the comparison crooked; empty where nothing does."""
        return oddities(self.readings, self.new_tokens)

    def label(self, engine: str) -> str:
        """The engine's name, with the steps that are not the learner's: `cached (reference: steps 4, 6)`."""
        steps = sorted(self.lent[engine])
        if not steps:
            return engine
        return f"{engine} (reference: step{'s' if len(steps) > 1 else ''} {', '.join(map(str, steps))})"
