"""Masks with the smallest float16 number, which is not below every score.

Caught by: test_a_common_offset_changes_nothing
Says: only -inf lies below every score
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, torch.finfo(torch.float16).min)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
