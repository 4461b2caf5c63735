"""Draws a place in the list of the k best and gives it back as the id.

Caught by: test_top_k_1_takes_the_best_token, test_only_the_k_best_are_drawn
Says: places in the list of the k best, not ids
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        scores = scores.topk(params.top_k).values
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
