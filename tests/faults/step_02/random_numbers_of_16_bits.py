"""Draws its random numbers in the type of the logits: in bfloat16 they have 256 values, and most tokens never come.

Caught by: test_each_of_many_tokens_can_be_drawn
Says: 16 bits, or three digits, have too few values
Unnamed: other ways to lose unlikely tokens fail in the same words
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    sums = scores.float().softmax(-1).cumsum(-1)
    sums /= sums[:, -1:].clone()
    chance = torch.rand(len(sums), 1, generator=generator, device=logits.device, dtype=logits.dtype)
    return (sums <= chance.float()).sum(-1, keepdim=True)
