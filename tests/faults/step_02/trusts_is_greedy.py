"""Asks `is_greedy`, which is False at temperature 0 with top_p below 1, and divides by 0.

Caught by: test_temperature_0_is_greedy_whatever_top_p_says
Says: `params.is_greedy` is False here
Source: karpathy/nanoGPT#739
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.is_greedy:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
