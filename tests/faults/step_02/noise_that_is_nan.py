"""Takes log(log(u)) for Gumbel noise: the log of a negative number is NaN, and its argmax the first token, always.

Caught by: test_successive_draws_differ
Says: Are the scores NaN
"""

import torch

from shared.sampling_params import SamplingParams


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return torch.argmax(logits, dim=-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < scores.size(-1):
        scores = scores.masked_fill(scores < torch.topk(scores, params.top_k, dim=-1).values[:, -1:], float("-inf"))
    probs = torch.softmax(scores, dim=-1)
    return (
        torch.log(probs) - torch.log(torch.log(torch.rand(probs.shape, generator=generator, device=probs.device)))
    ).argmax(-1, keepdim=True)
