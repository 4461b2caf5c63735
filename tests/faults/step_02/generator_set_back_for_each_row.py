"""Sets the generator back for each row, as if every row had to be repeatable by itself: all get the same numbers.

Caught by: test_rows_do_not_share_a_draw
Says: with a generator handed in all rows get the same random numbers
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        kth = scores.topk(params.top_k).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -torch.inf)
    if generator is None:
        return torch.multinomial(scores.softmax(-1), 1)
    state, drawn = generator.get_state(), []
    for row in scores.softmax(-1):
        generator.set_state(state)
        drawn.append(torch.multinomial(row, 1, generator=generator))
    return torch.stack(drawn)
