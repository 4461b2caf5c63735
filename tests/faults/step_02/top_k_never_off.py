"""Hands top_k to `topk` as it is, also -1.

Caught by: test_each_row_gets_one_id, test_top_k_off_keeps_every_token
Says: call `topk` only for what lies between
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    kth = scores.topk(params.top_k).values[:, -1:]
    scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
