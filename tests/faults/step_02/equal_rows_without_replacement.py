"""Draws all rows' tokens at once where the rows are equal, without replacement: no token comes twice.

Caught by: test_only_the_k_best_are_drawn
Says: a row by itself is right, and of equal rows each drew another token
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        scores = scores.masked_fill(scores < scores.topk(params.top_k).values[:, -1:], -torch.inf)
    probs = scores.softmax(-1)
    rows, vocab = probs.shape
    if (probs == probs[0]).all():
        return torch.multinomial(probs[0], rows, replacement=rows > vocab, generator=generator)[:, None]
    return torch.multinomial(probs, 1, generator=generator)
