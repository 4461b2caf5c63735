"""Adds a thousandth to the temperature, lest it be 0.

Caught by: test_a_very_low_temperature_still_divides
Says: a temperature to which 0.001 was added
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / (params.temperature + 1e-3)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
