"""Draws from random numbers of its own, so that torch.manual_seed has no say: nobody can repeat a draw.

Caught by: test_without_a_generator_the_global_seed_decides
Says: no generator or seed of your own
"""

import torch

_own = torch.Generator()
_own.seed()


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator or _own)
