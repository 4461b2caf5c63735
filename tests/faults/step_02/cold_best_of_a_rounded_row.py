"""Below 1e-4 takes the best of a softmax in 16 bits, where close logits are equal.

Caught by: test_a_tiny_temperature_stays_finite
Says: round nothing
"""

import torch
from torch import Tensor

from shared.sampling_params import SamplingParams


def sample_next_token(logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None) -> Tensor:
    if params.temperature <= 0:
        return logits.argmax(dim=-1, keepdim=True)
    bad = logits.isnan() | (logits == float("inf"))
    bad = bad.any(-1) | (logits == float("-inf")).all(-1)
    if bad.any():
        raise ValueError(f"row {int(bad.nonzero()[0])} holds nothing that can be drawn")
    if params.temperature <= 1e-4:
        return logits.half().softmax(-1).argmax(dim=-1, keepdim=True)
    scores = logits.double()
    scores = (scores - scores.amax(-1, keepdim=True)) / max(params.temperature, 1e-30)
    if 0 < params.top_k < scores.shape[-1]:
        kth_best = scores.topk(params.top_k, dim=-1).values[:, -1:]
        scores = scores.masked_fill(scores < kth_best, float("-inf"))
    if params.top_p < 1:
        probs = scores.softmax(-1)
        ranked, order = probs.sort(dim=-1, descending=True, stable=True)
        drop = ranked.cumsum(-1) - ranked >= params.top_p
        drop[:, 0] = False
        scores = scores.masked_fill(torch.zeros_like(drop).scatter(-1, order, drop), float("-inf"))
    probs = scores.softmax(dim=-1)
    return torch.multinomial(probs, num_samples=1, generator=generator)
