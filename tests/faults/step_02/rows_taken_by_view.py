"""Lays all rows into one with `view`, which fails where they do not lie next to each other.

Caught by: test_each_row_gets_one_id
Says: `view` asks for that, `reshape` does not
"""

import torch


def sample_next_token(logits, params, generator=None):
    batch, vocab = logits.shape
    scores = logits.view(-1).float().reshape(batch, vocab)
    if params.temperature <= 0 or params.top_k == 1:
        return scores.argmax(-1, keepdim=True)
    scores = scores / params.temperature
    if 0 < params.top_k < vocab:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
