"""Takes no top_k above 1024 at its word.

Caught by: test_top_k_keeps_50_of_104
Says: set no limit of your own
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    k = min(params.top_k, 1024)
    if 0 < k < logits.shape[-1]:
        scores = scores.masked_fill(scores < scores.topk(k).values[:, -1:], -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
