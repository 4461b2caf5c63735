"""Takes softmax over the batch (dimension 0): with one row every token has the same odds.

Caught by: test_draws_follow_the_softmax, test_each_row_is_drawn_from_its_own_logits
Says: softmax over the wrong dimension
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(0), 1, generator=generator)
