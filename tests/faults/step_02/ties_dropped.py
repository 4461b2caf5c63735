"""Keeps what is above the next value: where that is tied with the k-th, both go.

Caught by: test_ties_at_the_kth_value_do_no_harm
Says: tied at the k-th value
Source: vllm-project/vllm#50979
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        next_best = scores.topk(params.top_k + 1).values[:, -1:]
        scores = scores.masked_fill((scores <= next_best) & (scores < scores.amax(-1, keepdim=True)), -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
