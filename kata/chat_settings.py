"""How the answers of a chat are sampled, and what may be typed for each setting."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.sampling_params import SamplingParams


@dataclass(frozen=True)
class Settings:
    """The settings of the next answers. seed: where the random numbers of each answer begin; at -1 they just go on."""

    temperature: float = 0.0
    top_k: int = -1
    top_p: float = 1.0
    max_new_tokens: int = 256
    seed: int = -1

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in vars(self).items())

    def with_value(self, name: str, text: str) -> "Settings":
        """These with one changed; `ValueError` where there is no such setting, or the text is no value of it."""
        kind = _KINDS.get(name)
        if kind is None:
            raise ValueError(f"there is no setting {name}: choose {', '.join(_KINDS)}")
        try:
            value = kind.of_text(text)
        except ValueError:
            value = None
        if value is None or not kind.is_right(value):
            raise ValueError(f"{name} must be {kind.words}, not {text}")
        return replace(self, **{name: value})

    def to_params(self) -> "SamplingParams":
        from shared.sampling_params import SamplingParams

        return SamplingParams(self.temperature, self.top_k, self.top_p, max_tokens=self.max_new_tokens)


@dataclass(frozen=True)
class _Kind:
    """What values a setting may have: as code, and in words."""

    of_text: Callable[[str], float]
    is_right: Callable[[float], bool]
    words: str


_KINDS = {
    "temperature": _Kind(float, lambda value: 0 <= value <= 2, "a number from 0 (greedy) to 2"),
    "top_k": _Kind(int, lambda value: value >= -1, "a whole number: how many, or -1 for every token"),
    "top_p": _Kind(float, lambda value: 0 < value <= 1, "a number above 0 and at most 1"),
    "max_new_tokens": _Kind(int, lambda value: value >= 1, "a whole number, at least 1"),
    "seed": _Kind(int, lambda value: -1 <= value < 2**63, "a whole number, or -1 for none"),
}
