"""Divides in the logits' own 16 bits: a tiny temperature makes inf, and inf - inf is NaN.

Caught by: test_a_tiny_temperature_stays_finite
Says: inf - inf is NaN
Source: vllm-project/vllm#3063
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if params.top_p < 1:
        ranked, order = scores.sort(-1, descending=True)
        total = ranked.softmax(-1).cumsum(-1)
        cut = total - ranked.softmax(-1) >= params.top_p
        cut[:, 0] = False
        scores = scores.masked_fill(cut.scatter(-1, order, cut), -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
