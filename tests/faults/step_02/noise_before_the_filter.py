"""Adds the noise first, and keeps the k best of the noisy scores: any token may be among them.

Caught by: test_only_the_k_best_are_drawn
Says: or noise was added before
"""

import torch

from shared.sampling_params import SamplingParams


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return torch.argmax(logits, dim=-1, keepdim=True)
    scores = (
        logits.float() + -torch.log(-torch.log(torch.rand(logits.shape, generator=generator, device=logits.device)))
    ) / params.temperature
    if 0 < params.top_k < scores.size(-1):
        scores = scores.masked_fill(scores < torch.topk(scores, params.top_k, dim=-1).values[:, -1:], float("-inf"))
    probs = torch.softmax(scores, dim=-1)
    return probs.argmax(-1, keepdim=True)
