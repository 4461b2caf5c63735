"""Takes the best token at temperatures below 0.01, as if that were 0.

Caught by: test_a_very_low_temperature_still_divides
Says: Always the best token
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature < 0.01 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
