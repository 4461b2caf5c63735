"""Without a generator makes one, with a seed drawn from the global random numbers."""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    if generator is None:
        seed = torch.randint(2**62, (1,), device="cpu").item()
        generator = torch.Generator(logits.device).manual_seed(seed)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
