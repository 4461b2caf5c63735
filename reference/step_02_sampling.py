"""Step 2: choose the next token. Knows nothing of models or tokenizers: logits in, ids out."""

import torch
from torch import Tensor

from shared.sampling_params import SamplingParams


def sample_next_token(logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None) -> Tensor:
    """The next token of each row: logits (batch, vocab) to ids (batch, 1), int64, on the logits' device.

    A temperature of 0 or below takes the best token and draws nothing, whatever else the params say; `top_k` 1 takes
    the best token too. Otherwise: divide by the temperature, keep the `top_k` best (0 and below, or the vocabulary's
    size and above: all), draw in proportion to the softmax of what is left, each row apart from the others.
    Random numbers come from `generator` where one is handed in, else from torch's global ones; nothing is seeded.
    Logits and params stay as they were.

    Stretch: `top_p` after `top_k` keeps the smallest set of best tokens whose probabilities reach it, at least one;
    however small the temperature, no NaN; drawing from a row that holds NaN, +inf or nothing but -inf is a
    `ValueError` that names the row's number.
    """
    # BEGIN SOLUTION: the best token, or scale, filter, softmax and draw (about 8 lines, stretch 15 more)
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(dim=-1, keepdim=True)

    scores = scaled(logits, params.temperature)
    if 0 < params.top_k < scores.shape[-1]:
        kth_best = scores.topk(params.top_k, dim=-1).values[:, -1:]
        scores = scores.masked_fill(scores < kth_best, -torch.inf)
    if params.top_p < 1:
        scores = nucleus(scores, params.top_p)
    return torch.multinomial(scores.softmax(dim=-1), num_samples=1, generator=generator)


def scaled(logits: Tensor, temperature: float) -> Tensor:
    """Logits over temperature, in float32, each row's best at 0: what overflows is -inf, whose probability is 0."""
    best = logits.float().amax(dim=-1, keepdim=True)
    if not best.isfinite().all():
        row = int(best.isfinite().int().argmin())
        raise ValueError(f"row {row} of the logits holds NaN, +inf or nothing but -inf: there is no token to draw")
    return (logits.float() - best) / max(temperature, torch.finfo(torch.float32).tiny)


def nucleus(scores: Tensor, top_p: float) -> Tensor:
    """Scores, with -inf for every token that comes after the one whose probability takes the sum to `top_p`."""
    ranked, order = scores.sort(dim=-1, descending=True)
    probs = ranked.softmax(dim=-1)
    sum_before = probs.cumsum(dim=-1) - probs
    is_cut = sum_before >= top_p
    is_cut[:, 0] = False
    return scores.masked_fill(is_cut.scatter(dim=-1, index=order, src=is_cut), -torch.inf)
    # END SOLUTION
