"""Takes the k-th different value for the threshold: equal scores count once.

Caught by: test_ties_at_the_kth_value_do_no_harm
Says: not the k-th different value
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if 0 < params.top_k < logits.shape[-1]:
        for row in scores.unbind():
            values = row.unique()
            if params.top_k <= len(values):
                row[row < values[-params.top_k]] = -torch.inf
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
