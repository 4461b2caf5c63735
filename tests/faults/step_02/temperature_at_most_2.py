"""Lets no temperature above 2 through, as OpenAI's API does: here none is too high.

Caught by: test_a_high_temperature_flattens
Says: a temperature lowered to 2
Says: There is no highest temperature
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / min(params.temperature, 2.0)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
