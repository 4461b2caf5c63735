"""What a warm process knows ahead of its forks: models that are built, and what the library answers on them.

Each fork has a copy of its own, so nothing that a solution does to it reaches another run. A model is handed out once.
An answer holds only for a model whose every weight is as it was when the library was asked; else the library is asked
again. In a process that starts from nothing there is nothing in here.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from kata.failure import CheckFailure

Make = Callable[[], Any]
_ready: dict[Hashable, list[Any]] = defaultdict(list)
_portraits: list["Portrait"] = []
_asked: list[tuple[Hashable, Make]] | None = None  # while something is learned: what was built for it


@dataclass(frozen=True)
class Portrait:
    """A model as it was, and the library's answers on it."""

    kind: type
    config: dict[str, Any]
    tensors: dict[str, Tensor]
    answers: dict[Hashable, tuple[int, ...]] = field(default_factory=dict)

    def shows(self, model: Any) -> bool:
        return (
            type(model) is self.kind
            and all(_is_same(tensor, self.tensors.get(name)) for name, tensor in _tensors(model).items())
            and model.config.to_dict() == self.config
        )


def learn(check: Callable[[], object]) -> None:
    """Run a check on a right solution: what it builds is built once more, what it asks of the library is kept."""
    global _asked
    _asked = asked = []
    try:
        with suppress(CheckFailure):  # that is for the kata's own tests to tell
            check()
    finally:
        _asked = None
    wanted = Counter(key for key, _ in asked)
    for key, make in dict(asked).items():
        while len(_ready[key]) < wanted[key]:
            _ready[key].append(make())


def model(key: Hashable, make: Make) -> Any:
    """The model of that description: one that is ready, or one that is made now."""
    if torch.get_default_device().type != "cpu":
        return make()
    if _asked is not None:
        _asked.append((key, make))
    elif _ready[key]:
        return _ready[key].pop()
    return make()


def answer(of: Any, question: Hashable, ask: Callable[[], list[int]]) -> list[int]:
    """What the library says on the model to the question."""
    portrait = next((each for each in _portraits if each.shows(of)), None)
    if portrait is not None and question in portrait.answers:
        return list(portrait.answers[question])
    if _asked is None:
        return ask()
    if portrait is None:
        tensors = {name: tensor.detach().clone() for name, tensor in _tensors(of).items()}
        portrait = Portrait(type(of), of.config.to_dict(), tensors)
        _portraits.append(portrait)
    portrait.answers[question] = tuple(ask())
    return list(portrait.answers[question])


def _tensors(model: Any) -> dict[str, Tensor]:
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}


def _is_same(one: Tensor, other: Tensor | None) -> bool:
    if other is None or one.device != other.device or one.dtype != other.dtype or one.shape != other.shape:
        return False
    return torch.equal(one, other)
