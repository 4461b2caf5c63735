"""Takes exp() of the logits themselves: inf / inf is NaN.

Caught by: test_a_common_offset_changes_nothing
Says: where exp() by itself overflows
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    weights = scores.exp()
    return torch.multinomial(weights / weights.sum(-1, keepdim=True), 1, generator=generator)
