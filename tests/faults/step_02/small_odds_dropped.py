"""Drops tokens with odds below 0.1 %, as noise: in a flat distribution that is all of them.

Caught by: test_each_of_many_tokens_can_be_drawn
Says: drop no token for its small share
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    probs = scores.softmax(-1)
    probs = probs.masked_fill(probs < 1e-3, 0.0)
    return torch.multinomial(probs, 1, generator=generator)
