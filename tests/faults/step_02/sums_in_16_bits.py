"""Adds up the odds in the type of the logits: in 16 bits most sums are equal, and their tokens never come.

Caught by: test_each_of_many_tokens_can_be_drawn
Says: and so have sums of 16 bits
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
    sums = scores.softmax(-1).cumsum(-1)
    chance = torch.rand(len(sums), 1, generator=generator, device=logits.device) * sums[:, -1:]
    return (sums <= chance).sum(-1, keepdim=True).clamp_max(logits.shape[-1] - 1)
