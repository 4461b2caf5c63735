"""Does not look for NaN, and its way to draw gives a token for a row of NaN like any other.

Caught by: test_a_row_without_a_distribution_is_an_error
Says: no distribution to draw from
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    best = logits.float().amax(-1, keepdim=True)
    scores = (logits.float() - best) / max(params.temperature, 1e-37)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if params.top_p < 1:
        ranked, order = scores.sort(-1, descending=True)
        total = ranked.softmax(-1).cumsum(-1)
        cut = total - ranked.softmax(-1) >= params.top_p
        cut[:, 0] = False
        scores = scores.masked_fill(cut.scatter(-1, order, cut), -torch.inf)
    noise = torch.empty(scores.shape, device=scores.device).exponential_(generator=generator).log().neg()
    return (scores + noise).argmax(-1, keepdim=True)
