"""Applies the temperature only where top_k is off.

Caught by: test_the_k_best_share_the_draws_by_temperature
Says: the temperature never changed
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    if 0 < params.top_k < logits.shape[-1]:
        kth = logits.topk(params.top_k).values[:, -1:]
        scores = logits.masked_fill(logits < kth, -torch.inf)
    else:
        scores = logits / params.temperature
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
