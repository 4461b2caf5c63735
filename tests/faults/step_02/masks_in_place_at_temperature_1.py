"""At temperature 1 nothing is divided, so the mask is written into the caller's own logits.

Caught by: test_the_logits_stay_as_they_were
Says: your tensor is still the caller's own
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(dim=-1, keepdim=True)
    scores = logits if params.temperature == 1.0 else logits / params.temperature
    if 0 < params.top_k < scores.shape[-1]:
        scores[scores < scores.topk(params.top_k).values[:, -1:]] = -torch.inf
    return torch.multinomial(scores.softmax(dim=-1), 1, generator=generator)
