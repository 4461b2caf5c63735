"""Takes the best token at temperatures below 0.001, for fear of dividing by them.

Caught by: test_a_very_low_temperature_still_divides
Says: Only 0 and below is greedy
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature < 1e-3 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
