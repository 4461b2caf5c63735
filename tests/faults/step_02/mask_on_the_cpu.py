"""Makes a tensor of its own on the CPU, its -inf, say, where the logits may not be.

Caught by: test_the_result_is_on_the_device_of_the_logits
Says: device=logits.device
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = torch.where(scores < kth, torch.full(scores.shape, -torch.inf), scores)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
