"""Uses one row of random numbers, or the pick of one row, for all rows: equal rows draw the same token.

Caught by: test_rows_do_not_share_a_draw
Says: all rows share one row of random numbers
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    noise = torch.empty(logits.shape[-1], device=logits.device).exponential_(generator=generator)
    return (scores.softmax(-1) / noise).argmax(-1, keepdim=True)
