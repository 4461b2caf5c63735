"""Sets removed scores to 0, which is a score like any other.

Caught by: test_only_the_k_best_are_drawn
Says: a removed score became 0
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, 0.0)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
