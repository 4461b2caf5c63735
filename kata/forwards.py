"""Counts what goes through a model from outside, whichever engine runs it: when each call began, with how many tokens.

It looks at the model's input embeddings, since every call goes through them, whether it came by `model(…)`, by
`model.forward(…)` or from the library's `generate`. It knows nothing of engines, and changes nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass
class Forwards:
    """One entry a call of the model: the clock as it began, and the tokens that went in."""

    began: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)


@contextmanager
def counted(model: "PreTrainedModel") -> Iterator[Forwards]:
    """The model's calls inside this block; the hook is gone after it."""
    from shared import clock

    forwards = Forwards()

    def note(module: object, args: tuple, kwargs: dict) -> None:
        forwards.began.append(clock.now())
        forwards.tokens.append((*args, *kwargs.values())[0].numel())

    hook = model.get_input_embeddings().register_forward_pre_hook(note, with_kwargs=True)
    try:
        yield forwards
    finally:
        hook.remove()
