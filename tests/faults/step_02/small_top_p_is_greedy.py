"""Takes a small top_p for greedy: of many nearly equal tokens it draws one alone.

Caught by: test_top_p_keeps_the_smallest_set_that_reaches_it
Says: wanted: drawn: [14, 28, 59, 73]
"""

import torch
from torch import Tensor

from shared.sampling_params import SamplingParams


def _nucleus(scores, top_p):
    if top_p >= 1:
        return scores
    values, order = scores.sort(dim=-1, descending=True)
    probs = values.softmax(-1)
    out = probs.cumsum(-1) - probs >= top_p
    out[:, 0] = False
    return scores.masked_fill(out.gather(-1, order.argsort(-1)), float("-inf"))


def sample_next_token(logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None) -> Tensor:
    if params.temperature <= 1e-4 or params.top_k == 1 or params.top_p <= 0.1:
        return logits.argmax(-1, keepdim=True)
    scores = logits.float() / params.temperature
    if 0 < params.top_k < scores.size(-1):
        scores = scores.masked_fill(scores < scores.topk(params.top_k).values[:, -1:], float("-inf"))
    return torch.multinomial(_nucleus(scores, params.top_p).softmax(-1), 1, generator=generator)
