"""Looks for the k-th best value among those of all rows: equal rows keep their best token alone.

Caught by: test_each_of_the_k_best_is_drawn
Says: look for the k-th best value in each row
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.flatten().topk(params.top_k).values[-1]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
