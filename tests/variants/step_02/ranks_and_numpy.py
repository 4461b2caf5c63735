"""Keeps by rank, and draws with NumPy, seeded from torch's random numbers."""

import numpy as np
import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.double() / params.temperature
    if params.top_k > 0:
        rank = scores.argsort(-1, descending=True).argsort(-1)
        scores = scores.masked_fill(rank >= params.top_k, -torch.inf)
    seed = int(torch.randint(2**62, (1,), generator=generator, device=generator.device if generator else "cpu"))
    random = np.random.default_rng(seed)
    probs = scores.softmax(-1).cpu().numpy()
    return torch.tensor([[int(random.choice(len(row), p=row / row.sum()))] for row in probs], device=logits.device)
