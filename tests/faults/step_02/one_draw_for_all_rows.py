"""Draws once, from the first row, for the whole batch.

Caught by: test_rows_do_not_share_a_draw
Says: one draw serves all rows
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1)[0], 1, generator=generator).expand(len(logits), 1)
