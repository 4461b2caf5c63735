"""Stand-ins for the steps under a token loop, which record what they are asked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from kata.failure import CheckFailure
from shared.sampling_params import SamplingParams
from tests.doubles.fast_tokenizer import Encoding


def inputs_of(ids: Sequence[int]) -> Encoding:
    """What step 1 returns, for these ids: a mapping, which is read by its names, as its order is nobody's promise."""
    row = torch.tensor([list(ids)], device="cpu")
    return Encoding(attention_mask=torch.ones_like(row), input_ids=row)


def step_1_giving(real: ModuleType, ids: Sequence[int], on_ask: Callable[[], None] = lambda: None) -> ModuleType:
    """A step 1 whose prompts are always these ids; `asked` keeps (tokenizer, model, user_prompt, system_prompt).

    Whatever else the learner's own step 1 has is still there.
    """
    spy = _over(real)
    spy.asked = []

    def prepare_inputs(tokenizer: Any, model: Any, user_prompt: str, system_prompt: str | None = None) -> Encoding:
        spy.asked.append((tokenizer, model, user_prompt, system_prompt))
        on_ask()
        return inputs_of(ids)

    spy.prepare_inputs = prepare_inputs
    return spy


@dataclass
class Draw:
    """One question to the sampler, copied."""

    logits: Tensor
    params: SamplingParams
    generator: torch.Generator | None


def step_2_giving(real: ModuleType, answers: Sequence[int], on_ask: Callable[[], None] = lambda: None) -> ModuleType:
    """A step 2 that answers with these ids, one after the other; `asked` keeps what it was handed."""
    spy = _over(real)
    spy.asked = []

    def sample_next_token(logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None) -> Tensor:
        answer = answers[len(spy.asked) % len(answers)]
        spy.asked.append(Draw(logits.detach().clone(), replace(params), generator))
        on_ask()
        return torch.full((1, 1), answer, dtype=torch.int64, device=logits.device)

    spy.sample_next_token = sample_next_token
    return spy


def step_2_watched(real: ModuleType) -> ModuleType:
    """The step 2 itself; `shapes` keeps the shapes of the logits that it was handed."""
    spy = _over(real)
    spy.shapes = []

    def sample_next_token(logits: Tensor, *others: Any, **options: Any) -> Tensor:
        spy.shapes.append(tuple(getattr(logits, "shape", ())))
        return real.sample_next_token(logits, *others, **options)

    spy.sample_next_token = sample_next_token
    return spy


@contextmanager
def told_of_the_sampler(shapes: Sequence[tuple[int, ...]]) -> Iterator[None]:
    """An error in this block is a verdict where the sampler was handed logits of a shape that it does not take.

    shapes: those that a `step_2_watched` keeps.
    """
    try:
        yield
    except CheckFailure:
        raise
    except Exception as error:
        if not shapes or (len(shapes[-1]) == 2 and shapes[-1][0] == 1):
            raise
        why = "the sampler takes the newest position's logits with their batch dimension and without that of the "
        why += "positions, `logits[:, -1, :]`: a slice such as `-1:` keeps it."
        got = f"logits of shape {shapes[-1]}, and then {type(error).__name__}: {error}"
        call, wanted = "sample_next_token(logits, params)", "logits of shape (1, vocab)"
        raise CheckFailure(call=call, got=got, wanted=wanted, why=why) from error


def _over(real: ModuleType) -> ModuleType:
    """An empty module that falls back on another one."""
    spy = ModuleType(real.__name__)
    spy.__getattr__ = lambda name: getattr(real, name)
    return spy
