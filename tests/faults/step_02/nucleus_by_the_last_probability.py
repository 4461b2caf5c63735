"""Cuts the nucleus by the probability of the last token kept: all that equal it stay.

Caught by: test_top_p_keeps_the_smallest_set_that_reaches_it
Says: cut by place
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if params.top_p < 1:
        probs = scores.softmax(-1)
        ranked = probs.sort(-1, descending=True).values
        kept = (ranked.cumsum(-1) - ranked < params.top_p).sum(-1, keepdim=True).clamp_min(1)
        scores = scores.masked_fill(probs < ranked.gather(-1, kept - 1), -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
