"""Draws at temperature 0 as well, with a tiny one, say: the best one mostly, and random numbers are spent.

Caught by: test_temperature_0_takes_the_best_token, test_temperature_0_draws_nothing
Says: a draw that decides nothing
"""

import torch


def sample_next_token(logits, params, generator=None):
    scores = logits.float() / max(params.temperature, 1e-6)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
