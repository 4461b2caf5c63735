"""Has two places that draw, and hands the generator to one.

Caught by: test_with_a_generator_the_global_random_state_is_untouched
Says: all random numbers come from it
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        values, ids = scores.topk(params.top_k)
        return ids.gather(-1, torch.multinomial(values.softmax(-1), 1))
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
