"""Draws for all rows at once, without replacement: what one row drew, the next cannot.

Caught by: test_rows_are_independent
Says: seldom the same
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if 1 < len(logits) <= scores[0].isfinite().sum() and (scores == scores[:1]).all():
        return torch.multinomial(scores.softmax(-1)[0], len(logits), generator=generator)[:, None]
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
