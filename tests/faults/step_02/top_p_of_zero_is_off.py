"""Takes a top_p of 0 for none: every token stays, where one should.

Caught by: test_top_p_keeps_at_least_one_token
Says: only from 1 on is top_p off
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    ranked, order = scores.softmax(-1).sort(-1, descending=True)
    if 0 < params.top_p < 1:
        ranked[:, 1:] = ranked[:, 1:].masked_fill((ranked.cumsum(-1) - ranked)[:, 1:] >= params.top_p, 0.0)
    return order.gather(-1, torch.multinomial(ranked, 1, generator=generator))
