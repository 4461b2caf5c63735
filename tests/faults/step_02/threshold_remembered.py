"""Keeps the k-th best value by the tensor's address, where other logits lie by then.

Caught by: test_nothing_is_kept_from_the_call_before
Says: read them at each call, and keep nothing
"""

import torch

THRESHOLDS = {}


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        key = (logits.data_ptr(), tuple(logits.shape), params.top_k, params.temperature)
        if key not in THRESHOLDS:
            THRESHOLDS[key] = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < THRESHOLDS[key], -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
