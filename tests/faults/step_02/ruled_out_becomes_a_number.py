"""Makes -10,000 of -inf, as of something that low: other logits lie there.

Caught by: test_a_token_at_minus_infinity_is_never_drawn
Says: no number stands for it
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.nan_to_num(neginf=-1e4) / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
