"""Goes through NumPy in the logits' own type, and NumPy has no bfloat16.

Caught by: test_half_precision_logits_are_drawn_as_well
Says: NumPy has no bfloat16
"""

import numpy as np
import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    seed = int(torch.randint(2**62, (1,), generator=generator))
    random, scores = np.random.default_rng(seed), torch.from_numpy(logits.numpy() / params.temperature).double()
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.tensor([[int(random.choice(len(row), p=row))] for row in scores.softmax(-1).numpy()])
