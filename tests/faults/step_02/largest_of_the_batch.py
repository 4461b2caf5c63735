"""Takes softmax, or the largest logit before exp(), over the whole batch: a row far below is nothing but zeros.

Caught by: test_each_row_is_drawn_from_its_own_logits
Says: the largest logit of that row, not of the batch
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    weights = (scores - scores.max()).exp()
    return torch.multinomial(weights / weights.sum(-1, keepdim=True), 1, generator=generator)
