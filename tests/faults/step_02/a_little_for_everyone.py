"""Adds a little to every probability, lest one be 0.

Caught by: test_a_common_offset_changes_nothing, test_each_row_is_drawn_from_its_own_logits
Says: add nothing to the probabilities
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    probs = (logits / params.temperature).softmax(-1) + 1e-3
    if 0 < params.top_k < logits.shape[-1]:
        kth = probs.topk(params.top_k).values[:, -1:]
        probs = probs.masked_fill(probs < kth, 0.0)
    return torch.multinomial(probs, 1, generator=generator)
