"""Divides by the temperature whatever it is: at 0 the scores become infinite, or NaN.

Caught by: test_each_row_gets_one_id
Says: return it before you divide
"""

import torch


def sample_next_token(logits, params, generator=None):
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
