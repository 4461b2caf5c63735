"""Draws in blocks of 64 rows, for a buffer of that size, and reads the first block each time.

Caught by: test_each_row_is_drawn_from_its_own_logits
Says: a batch may have any number of rows
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    probs = scores.softmax(-1)
    blocks = [torch.multinomial(probs[:64], 1, generator=generator) for _ in range(0, len(probs), 64)]
    return torch.cat(blocks)[: len(probs)]
