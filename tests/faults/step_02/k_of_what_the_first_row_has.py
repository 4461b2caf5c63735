"""Lowers k for all rows to the number of tokens that the first one has left.

Caught by: test_each_row_keeps_its_own_k_best
Says: that is its own affair
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    k = min(params.top_k, int(scores[0].isfinite().sum()))
    if 0 < k < logits.shape[-1]:
        scores = scores.masked_fill(scores < scores.topk(k).values[:, -1:], -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
