"""Takes top_k 1 for off, as if one token were no choice.

Caught by: test_top_k_1_takes_the_best_token
Says: top_k 1 leaves one token
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 1 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
