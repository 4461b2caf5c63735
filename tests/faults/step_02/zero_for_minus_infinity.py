"""Puts 0 in the place of -inf before it takes the best token: where all logits are negative, 0 is the best.

Caught by: test_temperature_0_takes_the_best_token
Says: -inf lies below every number, also where all are negative
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.masked_fill(logits.isinf(), 0.0).argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
