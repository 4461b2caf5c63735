"""Lays the mask of the sorted tokens over the unsorted ones.

Caught by: test_top_p_keeps_the_smallest_set_that_reaches_it
Says: Put the mask back into the order of the ids
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
        scores = scores.masked_fill(cut, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
