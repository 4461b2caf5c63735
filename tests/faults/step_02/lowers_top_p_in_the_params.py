"""Lowers a top_p above 1 in the caller's params.

Caught by: test_the_params_stay_as_they_were
Says: keep what you work out in variables of your own
Like: clamps_the_params
"""

import torch


def sample_next_token(logits, params, generator=None):
    params.top_p = min(params.top_p, 1.0)
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
