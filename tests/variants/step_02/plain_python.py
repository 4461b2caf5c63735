"""Computes in Python floats; torch only gives the random numbers."""

import math

import torch


def sample_next_token(logits, params, generator=None):
    tokens = []
    for row in logits.tolist():
        ranked = sorted(range(len(row)), key=row.__getitem__, reverse=True)
        if params.temperature <= 0 or params.top_k == 1:
            tokens.append([ranked[0]])
            continue
        kept = ranked[: params.top_k] if params.top_k > 0 else ranked
        weights = [math.exp((row[token] - row[kept[0]]) / params.temperature) for token in kept]
        point = torch.rand(1, dtype=torch.float64, generator=generator, device=logits.device).item() * sum(weights)
        while len(weights) > 1 and point >= weights[0]:
            point -= weights.pop(0)
            kept.pop(0)
        tokens.append([kept[0]])
    return torch.tensor(tokens, device=logits.device)
