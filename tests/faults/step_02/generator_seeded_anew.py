"""Makes a generator of a fixed seed at every call, for repeatable results.

Caught by: test_successive_draws_differ
Says: do not make a generator inside the sampler
Like: generator_made_anew
Source: vllm-project/vllm-metal#50
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if generator is None:
        generator = torch.Generator(device=logits.device).manual_seed(42)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
