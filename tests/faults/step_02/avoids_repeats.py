"""Draws once more where the token would be the one of the call before.

Caught by: test_nothing_is_kept_from_the_call_before
Says: to avoid repeats is another method
"""

import torch

LAST = [None]


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(dim=-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < scores.shape[-1]:
        scores = scores.masked_fill(scores < scores.topk(params.top_k).values[:, -1:], -torch.inf)
    ids = torch.multinomial(scores.softmax(dim=-1), 1, generator=generator)
    if len(ids) == 1 and ids.item() == LAST[0]:
        ids = torch.multinomial(scores.softmax(dim=-1), 1, generator=generator)
    LAST[0] = ids[0].item()
    return ids
