"""Sorts once, keeps the first k, and walks along the cumulative probabilities."""

import torch


def sample_next_token(logits, params, generator=None):
    ranked, order = torch.sort(logits.to(torch.float64), dim=-1, descending=True)
    if params.temperature <= 0:
        return order[:, :1].clone()
    if params.top_k >= 1:
        ranked, order = ranked[:, : params.top_k], order[:, : params.top_k]
    total = torch.softmax(ranked / params.temperature, dim=-1).cumsum(dim=-1)
    point = torch.rand(len(logits), 1, dtype=torch.float64, device=logits.device, generator=generator) * total[:, -1:]
    place = (total <= point).sum(dim=-1, keepdim=True).clamp(max=total.shape[-1] - 1)
    return torch.gather(order, -1, place)
