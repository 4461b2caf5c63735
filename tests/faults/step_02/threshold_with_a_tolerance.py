"""Keeps what is nearly as good as the k-th best, for fear of rounding: more than k stay.

Caught by: test_only_the_k_best_are_drawn
Says: these scores are close, not equal
Like: computes_in_half_precision
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth - 1e-5, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
