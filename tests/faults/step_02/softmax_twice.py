"""Takes softmax of probabilities, which flattens them.

Caught by: test_draws_follow_the_softmax
Says: softmax taken twice
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    probs = scores.softmax(-1).masked_fill(scores == -torch.inf, -torch.inf)
    return torch.multinomial(probs.softmax(-1), 1, generator=generator)
