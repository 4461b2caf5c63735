"""Measures every row by the k-th best value of the first.

Caught by: test_each_row_keeps_its_own_k_best
Says: the first one's threshold
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[0, -1]
        scores = scores.masked_fill((scores < kth) & (scores < scores.amax(-1, keepdim=True)), -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
