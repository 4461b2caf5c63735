"""Looks the place that the first row drew up in every row's order.

Caught by: test_rows_do_not_share_a_draw
Says: one row's pick is used for all
Like: shared_noise
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores, order = (logits.float() / params.temperature).sort(-1, descending=True)
    if 0 < params.top_k < logits.shape[-1]:
        scores[:, params.top_k :] = -torch.inf
    picked = torch.multinomial(scores.softmax(-1), 1, generator=generator)
    return order[:, picked[0]]
