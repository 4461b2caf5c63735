"""Keeps a thousand tokens where top_k is off, for speed.

Caught by: test_each_of_many_tokens_can_be_drawn
Says: top_k is off: drop no token, round none, set no limit
Unnamed: other ways to lose unlikely tokens fail in the same words
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    k = params.top_k if params.top_k > 0 else 1000
    if k < logits.shape[-1]:
        scores = scores.masked_fill(scores < scores.topk(k).values[:, -1:], -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
