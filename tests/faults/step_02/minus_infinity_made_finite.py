"""Replaces -inf by 0 for fear of NaN, which brings ruled-out tokens back.

Caught by: test_a_token_at_minus_infinity_is_never_drawn
Says: that -inf rules out
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.nan_to_num(neginf=0.0) / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
