"""Draws from a copy of the generator, or seeds it again, so that it never moves on.

Caught by: test_a_handed_generator_moves_on
Says: draw from the generator itself
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if generator is not None:
        generator = generator.clone_state()
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
