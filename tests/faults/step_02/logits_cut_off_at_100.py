"""Clamps the logits to 100, lest exp() overflow: what lies higher, or as low, becomes equal.

Caught by: test_a_common_offset_changes_nothing
Says: cut off at some number (clamp)
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float().clamp(-100, 100) / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
