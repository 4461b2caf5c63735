"""Refuses every infinite logit, also the -inf that rules a token out.

Caught by: test_temperature_0_takes_the_best_token, test_a_token_at_minus_infinity_is_never_drawn
Says: -inf takes part like any other logit
"""

import torch


def sample_next_token(logits, params, generator=None):
    if not logits.isfinite().all():
        raise ValueError("the logits are not finite")
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
