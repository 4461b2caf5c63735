"""Takes the best token where it has 99 %: the others never come.

Caught by: test_draws_follow_the_softmax
Says: no threshold from which on
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    probs = scores.softmax(-1)
    drawn, best = torch.multinomial(probs, 1, generator=generator), probs.max(-1, keepdim=True)
    return torch.where(best.values > 0.99, best.indices, drawn)
