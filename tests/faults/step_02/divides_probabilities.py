"""Divides probabilities by the temperature, which changes no proportion.

Caught by: test_a_high_temperature_flattens
Says: the temperature never changed
Unnamed: whatever leaves the odds as they are fails alike
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1) / params.temperature, 1, generator=generator)
