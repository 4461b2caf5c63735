"""Lends the generator's state to torch's global random numbers, and leaves it there.

Caught by: test_with_a_generator_the_global_random_state_is_untouched
Says: global random numbers are set here
Like: generator_gives_a_seed
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if generator is not None:
        torch.set_rng_state(generator.get_state())
    drawn = torch.distributions.Categorical(logits=scores).sample()[:, None]
    if generator is not None:
        generator.set_state(torch.get_rng_state())
    return drawn
