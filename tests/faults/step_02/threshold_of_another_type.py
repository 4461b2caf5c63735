"""Finds the k-th best in one type and compares in a finer one: rounded up, it drops the k-th best itself.

Caught by: test_the_k_best_share_the_draws_by_temperature
Says: The k-th best is dropped
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.double() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = (logits / params.temperature).topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
