"""Takes only -1 for off: 0 best tokens are none.

Caught by: test_top_k_off_keeps_every_token
Says: 0 and below
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if params.top_k != -1:
        kth = scores.topk(min(params.top_k, logits.shape[-1])).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
