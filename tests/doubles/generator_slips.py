"""From whose random numbers a sampler draws: what a check asks once it has seen the wrong draws, to name the slip."""

from types import ModuleType

import torch
from torch import Tensor

from shared.sampling_params import SamplingParams
from tests.doubles.draws import sample


def draws_with(step: ModuleType, row: Tensor, params: SamplingParams, generator: torch.Generator | None) -> list[int]:
    """64 draws from one row (vocab,), a call for each."""
    return [sample(step, row[None], params, generator)[0] for _ in range(64)]


def seeds_the_world(
    step: ModuleType, row: Tensor, params: SamplingParams, generator: torch.Generator | None = None
) -> bool:
    """Whether a draw leaves the global random numbers the same, whatever they were before, or at their seed's begin."""
    states, fresh = [], []
    with torch.random.fork_rng(devices=[]):
        for seed in (1, 2):
            torch.manual_seed(seed)
            fresh.append(torch.get_rng_state())
            torch.rand(1)
            sample(step, row[None], params, generator and generator.clone_state())
            states.append(torch.get_rng_state())
    return torch.equal(*states) or all(map(torch.equal, states, fresh))


def keeps_a_generator(step: ModuleType, row: Tensor, params: SamplingParams) -> bool:
    """Whether draws without a generator repeat after the same one was handed in before, whatever torch's seed is."""
    draws = []
    with torch.random.fork_rng(devices=[]):
        for seed in (1, 2):
            torch.manual_seed(seed)
            sample(step, row[None], params, torch.Generator().manual_seed(5))
            draws.append(draws_with(step, row, params, None))
    return draws[0] == draws[1]


def is_repeated_by_the_global_seed(step: ModuleType, row: Tensor, params: SamplingParams) -> bool:
    """Whether draws with a generator repeat where torch's global seed does."""
    draws = []
    with torch.random.fork_rng(devices=[]):
        for _ in range(2):
            torch.manual_seed(7)
            draws.append(draws_with(step, row, params, torch.Generator().manual_seed(5)))
    return draws[0] == draws[1]
