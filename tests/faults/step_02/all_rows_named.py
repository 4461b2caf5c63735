"""Names every row of the batch in the error, the sound ones too.

Caught by: test_a_row_without_a_distribution_is_an_error
Says: needs its number, and no other
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    if not logits.float().amax(-1).isfinite().all():
        raise ValueError(f"one of the rows {list(range(len(logits)))} has no distribution")
    scores = (logits.float() - logits.float().amax(-1, keepdim=True)) / max(params.temperature, 1e-37)
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if params.top_p < 1:
        ranked, order = scores.sort(-1, descending=True)
        total = ranked.softmax(-1).cumsum(-1)
        cut = total - ranked.softmax(-1) >= params.top_p
        cut[:, 0] = False
        scores = scores.masked_fill(cut.scatter(-1, order, cut), -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
