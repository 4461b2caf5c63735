"""Picks any of the k best with equal odds.

Caught by: test_the_k_best_share_the_draws_by_temperature
Says: Every kept token comes equally often
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        best = logits.topk(params.top_k).indices
        pick = torch.randint(params.top_k, (len(logits), 1), device=logits.device, generator=generator)
        return best.gather(-1, pick)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
