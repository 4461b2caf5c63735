"""Lifts every logit to 30 below the best, as if exp(-30) were nothing: a high temperature makes it a lot.

Caught by: test_steep_logits_give_the_best_token
Says: do not lift low scores to
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    below = logits.float() - logits.float().amax(-1, keepdim=True)
    scores = torch.where(below.isneginf(), below, below.clamp_min(-30.0)) / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
