"""Calls the generator by another name than the signature does.

Caught by: test_rows_do_not_share_a_draw, test_temperature_0_draws_nothing, test_a_handed_generator_decides
Says: keep the signature
"""

import torch


def sample_next_token(logits, params, rng=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=rng)
