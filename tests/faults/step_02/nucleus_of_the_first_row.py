"""Takes from every row as many tokens as the first row's nucleus holds.

Caught by: test_top_p_is_applied_row_by_row
Says: row by row
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    best = logits.float().amax(-1, keepdim=True)
    for row, value in enumerate(best.flatten().tolist()):
        if value in (float("inf"), float("-inf")) or value != value:
            raise ValueError(f"row {row} has no distribution")
    scores = (logits.float() - best) / max(params.temperature, 1e-37)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if params.top_p < 1:
        ranked, order = scores.sort(-1, descending=True)
        total = ranked.softmax(-1).cumsum(-1)
        cut = total - ranked.softmax(-1) >= params.top_p
        cut[:, 0] = False
        cut = cut[:1].expand(cut.shape)
        scores = scores.masked_fill(cut.scatter(-1, order, cut), -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
