"""The guard is the wrong way round: greedy above 0, a division by 0 at 0.

Caught by: test_each_row_gets_one_id, test_temperature_0_takes_the_best_token
Says: the comparison is the wrong way round
Source: UKGovernmentBEIS/inspect_ai#266
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature > 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
