"""Lets exponential waiting times race: the first to arrive is the draw."""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    probs = torch.softmax(logits.float() / params.temperature, dim=-1)
    if 0 < params.top_k < probs.shape[-1]:
        kept = torch.zeros_like(probs, dtype=torch.bool)
        kept.scatter_(-1, probs.topk(params.top_k).indices, True)
        probs *= kept
    return (probs / torch.empty_like(probs).exponential_(1.0, generator=generator)).argmax(-1, keepdim=True)
