"""Puts the k best values into a tensor of -inf, temperature last."""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    k = logits.shape[-1] if params.top_k < 1 else min(params.top_k, logits.shape[-1])
    values, ids = logits.topk(k, dim=-1)
    kept = torch.full_like(logits, float("-inf")).scatter(-1, ids, values)
    return torch.multinomial(torch.nn.functional.softmax(kept / params.temperature, dim=-1), 1, generator=generator)
