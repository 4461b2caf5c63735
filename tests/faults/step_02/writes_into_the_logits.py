"""Writes -inf into the caller's logits.

Caught by: test_the_logits_stay_as_they_were
Says: write into them
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    if 0 < params.top_k < logits.shape[-1]:
        kth = logits.topk(params.top_k).values[:, -1:]
        logits[logits < kth] = -torch.inf
    scores = logits / params.temperature
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
