"""Drops what has less than a twentieth of the best token's share, as `min_p` does where somebody asks for it.

Caught by: test_draws_follow_the_softmax
Says: No token is dropped for its small share
"""

import torch


def sample_next_token(logits, params, generator=None, min_p=0.05):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    odds = scores.softmax(-1)
    odds = odds.masked_fill(odds < min_p * odds.amax(-1, keepdim=True), 0.0)
    return torch.multinomial(odds, 1, generator=generator)
