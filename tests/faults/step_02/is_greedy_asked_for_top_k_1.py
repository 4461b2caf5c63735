"""Leaves a `top_k` of 1 to `is_greedy`, which is False with top_p below 1: any token is drawn then.

Caught by: test_top_k_1_takes_the_best_token
Says: a top_k of 1 leaves only the best token
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.is_greedy or params.temperature <= 0:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 1 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
