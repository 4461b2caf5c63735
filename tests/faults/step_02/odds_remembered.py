"""Keeps the odds of each tensor of logits that it has seen.

Caught by: test_nothing_is_kept_from_the_call_before
Says: read them at each call
"""

import torch

ODDS = {}


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(dim=-1, keepdim=True)
    key = (id(logits), params.temperature, params.top_k)
    if key not in ODDS:
        scores = logits / params.temperature
        if 0 < params.top_k < scores.shape[-1]:
            scores = scores.masked_fill(scores < scores.topk(params.top_k).values[:, -1:], -torch.inf)
        ODDS[key] = logits, scores.softmax(dim=-1)
    return torch.multinomial(ODDS[key][1], 1, generator=generator)
