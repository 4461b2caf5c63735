"""Chooses the nucleus before the temperature is applied.

Caught by: test_top_p_comes_after_temperature_and_top_k
Says: scale by the temperature, then apply top_k
Source: fishaudio/fish-speech#1150
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float()
    if params.top_p < 1:
        ranked, order = scores.sort(-1, descending=True)
        total = ranked.softmax(-1).cumsum(-1)
        cut = total - ranked.softmax(-1) >= params.top_p
        cut[:, 0] = False
        scores = scores.masked_fill(cut.scatter(-1, order, cut), -torch.inf)
    best = logits.float().amax(-1, keepdim=True)
    for row, value in enumerate(best.flatten().tolist()):
        if value in (float("inf"), float("-inf")) or value != value:
            raise ValueError(f"row {row} has no distribution")
    scores = (scores - best) / max(params.temperature, 1e-37)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
