"""Asks `topk` for more tokens than there are.

Caught by: test_top_k_of_the_vocabulary_and_beyond_keeps_every_token
Says: the vocabulary's size and above
Source: TransformerLensOrg/TransformerLens#1347
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if params.top_k > 0:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
