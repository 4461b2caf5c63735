"""Seeds torch with the seed that it has, lest the draw disturb it, and so sets it back to its begin.

Caught by: test_with_a_generator_the_global_random_state_is_untouched
Says: torch's global random numbers are set here (manual_seed
Like: generator_gives_a_seed
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if generator is not None:
        torch.manual_seed(torch.initial_seed())
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
