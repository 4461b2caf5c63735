"""Masks with -10,000, as code for half precision once did, where logits may lie lower.

Caught by: test_a_common_offset_changes_nothing
Says: A removed score became -10,000
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    if 0 < params.top_k < logits.shape[-1]:
        kth = logits.topk(params.top_k).values[:, -1:]
        logits = logits.masked_fill(logits < kth, -1e4)
    return torch.multinomial((logits / params.temperature).softmax(-1), 1, generator=generator)
