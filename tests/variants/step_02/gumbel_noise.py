"""Adds Gumbel noise to the scores and takes the largest, in float64; needs no softmax."""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0:
        return logits.argmax(-1).unsqueeze(-1)
    scores = logits.double() / params.temperature
    if params.top_k > 0:
        kth = scores.topk(min(params.top_k, scores.size(-1))).values[..., -1, None]
        scores = torch.where(scores >= kth, scores, torch.tensor(-torch.inf, dtype=scores.dtype))
    uniform = torch.rand(scores.shape, dtype=scores.dtype, device=scores.device, generator=generator)
    return (scores - (-uniform.clamp_min(1e-300).log()).log()).argmax(-1).unsqueeze(-1)
