"""Makes a generator for each further row, so that rows are independent: it begins anew at every call.

Caught by: test_a_handed_generator_moves_on
Says: a row of the batch starts its random numbers again at each call
"""

import torch
from torch import Tensor

from shared.sampling_params import SamplingParams


def _check(logits):
    bad = torch.isnan(logits).any(-1) | torch.isposinf(logits).any(-1) | torch.isneginf(logits).all(-1)
    if bool(bad.any()):
        raise ValueError(f"row {int(bad.nonzero()[0, 0])} cannot be drawn from")


def sample_next_token(logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None) -> Tensor:
    if params.temperature <= 1e-4 or params.top_k == 1:
        return logits.argmax(dim=-1, keepdim=True)
    _check(logits)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.size(-1):
        kth = scores.topk(params.top_k, dim=-1).values[..., -1:]
        scores = scores.masked_fill(scores < kth, float("-inf"))
    if 0 <= params.top_p < 1:
        p, order = scores.softmax(-1).sort(-1, descending=True)
        drop = p.cumsum(-1) - p >= params.top_p
        drop[..., 0] = False
        scores = scores.masked_fill(torch.zeros_like(drop).scatter(-1, order, drop), float("-inf"))
    probs = scores.softmax(-1)
    base = 0 if generator is None else generator.initial_seed()
    draws = [torch.multinomial(probs[0], 1, generator=generator)]
    for i in range(1, probs.size(0)):  # a generator for every further row, so that rows are independent
        own = None if generator is None else torch.Generator(device=probs.device).manual_seed(base + i)
        draws.append(torch.multinomial(probs[i], 1, generator=own))
    return torch.stack(draws)
