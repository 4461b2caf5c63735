"""Compares with `<` where the random number may be exactly 0, and in 16 bits it often is.

Caught by: test_half_precision_logits_are_drawn_as_well
Says: comes where the random number is exactly 0
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    sums = scores.softmax(-1).cumsum(-1)
    chance = torch.rand(len(sums), 1, generator=generator, device=logits.device, dtype=sums.dtype)
    return (sums < chance).sum(-1, keepdim=True).clamp_max(logits.shape[-1] - 1)
