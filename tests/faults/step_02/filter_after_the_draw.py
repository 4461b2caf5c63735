"""Filters after the draw: what falls outside becomes the best token.

Caught by: test_the_k_best_share_the_draws_by_temperature
Says: filter before the draw
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    token = torch.multinomial(scores.softmax(-1), 1, generator=generator)
    if 0 < params.top_k < logits.shape[-1]:
        best = scores.topk(params.top_k).indices
        token = torch.where((best == token).any(-1, keepdim=True), token, best[:, :1])
    return token
