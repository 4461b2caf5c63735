"""Walks along probabilities that no longer sum to 1, also where one is left: the last token gets the rest.

Caught by: test_top_k_1_takes_the_best_token
Says: no longer add up to 1
Like: cdf_not_normalised
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0:
        return logits.argmax(-1, keepdim=True)
    probs = (logits / params.temperature).softmax(-1)
    if 0 < params.top_k < logits.shape[-1]:
        kth = probs.topk(params.top_k).values[:, -1:]
        probs = probs.masked_fill(probs < kth, 0.0)
    uniform = torch.rand(len(logits), 1, device=logits.device, generator=generator)
    return torch.searchsorted(probs.cumsum(-1), uniform).clamp(max=logits.shape[-1] - 1)
