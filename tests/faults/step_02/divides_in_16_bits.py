"""Reaches for float32 only after the division, in 16 bits: large logits have overflowed by then.

Caught by: test_a_tiny_temperature_stays_finite
Says: before you divide
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 1e-4 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = (logits / params.temperature).float()
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    ranked, order = scores.softmax(-1).sort(-1, descending=True)
    if params.top_p < 1:
        ranked[:, 1:] = ranked[:, 1:].masked_fill((ranked.cumsum(-1) - ranked)[:, 1:] >= params.top_p, 0.0)
    return order.gather(-1, torch.multinomial(ranked, 1, generator=generator))
