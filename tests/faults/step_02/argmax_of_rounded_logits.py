"""Takes the argmax in 16 bits, where close logits are equal.

Caught by: test_temperature_0_takes_the_best_token
Says: unrounded
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.bfloat16().argmax(dim=-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < scores.shape[-1]:
        scores = scores.masked_fill(scores < scores.topk(params.top_k).values[:, -1:], -torch.inf)
    return torch.multinomial(scores.softmax(dim=-1), 1, generator=generator)
