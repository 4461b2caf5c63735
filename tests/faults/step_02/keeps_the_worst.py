"""Takes the k smallest for the k best.

Caught by: test_only_the_k_best_are_drawn
Says: the best are removed and the others kept
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k, largest=False).values[:, -1:]
        scores = scores.masked_fill(scores > kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
