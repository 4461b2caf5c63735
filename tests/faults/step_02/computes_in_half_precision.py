"""Computes in 16 bits to save memory: large or close logits lose their differences.

Caught by: test_only_the_k_best_are_drawn, test_a_common_offset_changes_nothing
Says: rounded to 16 bits
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.half() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.float().softmax(-1), 1, generator=generator)
