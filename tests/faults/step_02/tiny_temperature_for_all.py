"""Writes `min` where `max` was meant, so every temperature becomes tiny: always the best token.

Caught by: test_successive_draws_differ
Says: the token is drawn
Like: always_argmax
Source: UKGovernmentBEIS/inspect_ai#266
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / min(params.temperature, 1e-3)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
