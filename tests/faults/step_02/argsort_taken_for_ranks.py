"""Takes what `argsort` gives for the rank of each token: k tokens stay, but not the best.

Caught by: test_top_k_1_takes_the_best_token, test_only_the_k_best_are_drawn
Says: the id at each place, not each id's place
"""

import torch


def sample_next_token(logits, params, generator=None):
    if params.temperature <= 0:
        return logits.argmax(-1, keepdim=True)
    scores = logits / params.temperature
    if params.top_k > 0:
        ranks = scores.argsort(-1, descending=True)
        scores = scores.masked_fill(ranks >= params.top_k, -torch.inf)
    return torch.multinomial(scores.softmax(-1), 1, generator=generator)
