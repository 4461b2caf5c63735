"""Adds Gumbel noise first and divides both by the temperature, which changes no order.

Caught by: test_a_high_temperature_flattens
Says: the temperature never changed
Unnamed: whatever leaves the odds as they are fails alike
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    noise = torch.empty(logits.shape, device=logits.device).exponential_(generator=generator).log().neg()
    scores = (logits + noise) / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = logits.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(logits < kth, -torch.inf)
    return scores.argmax(-1, keepdim=True)
