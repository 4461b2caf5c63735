"""Asks `isin` for the k best values, and so keeps what is among the best of any row.

Caught by: test_each_row_keeps_its_own_k_best
Says: among the best of another row
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        scores = scores.masked_fill(~torch.isin(scores, scores.topk(params.top_k).values), -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
