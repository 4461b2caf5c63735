"""Keeps the last generator for calls that hand in none.

Caught by: test_without_a_generator_the_global_seed_decides
Says: an earlier call's generator decides
"""

import torch

_last = {}


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    _last["generator"] = generator or _last.get("generator")
    return torch.multinomial(scores.softmax(-1), 1, generator=_last["generator"])
