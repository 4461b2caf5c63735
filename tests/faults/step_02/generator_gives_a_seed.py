"""Seeds the global random numbers from the generator, and so disturbs everybody else's.

Caught by: test_with_a_generator_the_global_random_state_is_untouched
Says: torch's global random numbers are set here (manual_seed
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
        torch.manual_seed(int(torch.randint(2**31, (1,), generator=generator)))
    return torch.multinomial(scores.softmax(-1), 1)
