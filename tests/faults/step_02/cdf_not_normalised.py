"""Walks along probabilities that no longer sum to 1 after top-k: the rest of the draws falls on the last one.

Caught by: test_only_the_k_best_are_drawn, test_the_k_best_share_the_draws_by_temperature
Says: no longer add up to 1
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    probs = (logits / params.temperature).softmax(-1)
    if 0 < params.top_k < logits.shape[-1]:
        kth = probs.topk(params.top_k).values[:, -1:]
        probs = probs.masked_fill(probs < kth, 0.0)
    uniform = torch.rand(len(logits), 1, device=logits.device, generator=generator)
    return torch.searchsorted(probs.cumsum(-1), uniform).clamp(max=logits.shape[-1] - 1)
