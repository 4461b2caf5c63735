"""Raises a tiny temperature to 1e-4 and draws: close logits share the draws.

Caught by: test_a_tiny_temperature_stays_finite
Says: do not raise such a temperature to 1e-4
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float()
    scores = (scores - scores.amax(-1, keepdim=True)) / max(params.temperature, 1e-4)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    ranked, order = scores.softmax(-1).sort(-1, descending=True)
    if params.top_p < 1:
        ranked[:, 1:] = ranked[:, 1:].masked_fill((ranked.cumsum(-1) - ranked)[:, 1:] >= params.top_p, 0.0)
    return order.gather(-1, torch.multinomial(ranked, 1, generator=generator))
