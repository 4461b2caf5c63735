"""Gives every token odds of 1e-5 at least: in a large vocabulary that is a lot, and top_k is void.

Caught by: test_only_the_k_best_are_drawn
Says: a little was added to every probability
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    probs = scores.softmax(-1).clamp_min(1e-5)
    return torch.multinomial(probs, 1, generator=generator)
