"""Step 2: choose the next token. Knows nothing of models or tokenizers: logits in, ids out."""

import torch
from torch import Tensor

from shared.sampling_params import SamplingParams


def sample_next_token(logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None) -> Tensor:
    """The next token of each row: logits (batch, vocab) to ids (batch, 1), int64, on the logits' device.

    A temperature of 0 or below, or `top_k` 1, takes the best token and draws nothing. Otherwise: divide by the
    temperature, keep the `top_k` best, draw in proportion to their probabilities, with `generator` where one is
    given. A `top_k` of 0 and below, or of the vocabulary's size and above, keeps all. The logits are left as they were.

    Stretch: `top_p` after `top_k` (smallest set of best tokens that reaches it, at least one); tiny temperatures stay
    finite; when drawing, a row with NaN, +inf or nothing but -inf is a `ValueError` that names the row.
    """
    # BEGIN SOLUTION: greedy, else temperature, top-k, softmax, multinomial (about 9 lines, stretch 12 more)
    if params.temperature <= 0 or params.top_k == 1:
        return logits.argmax(dim=-1, keepdim=True)

    scores = scale_by_temperature(logits, params.temperature)
    if 0 < params.top_k < scores.shape[-1]:
        kth_best = scores.topk(params.top_k, dim=-1).values[:, -1:]
        scores = scores.masked_fill(scores < kth_best, -torch.inf)
    if params.top_p < 1.0:
        scores = keep_nucleus(scores, params.top_p)
    return torch.multinomial(scores.softmax(dim=-1), num_samples=1, generator=generator)


def scale_by_temperature(logits: Tensor, temperature: float) -> Tensor:
    """Float32 scores, the best of each row at 0: dividing by a tiny temperature then overflows to -inf, never to NaN."""
    best = logits.float().amax(dim=-1, keepdim=True)
    for row in (~best.isfinite()).nonzero()[:, 0].tolist():
        raise ValueError(f"row {row} of the logits has NaN, +inf, or nothing but -inf: there is no token to draw")
    return (logits.float() - best) / max(temperature, torch.finfo(torch.float32).tiny)


def keep_nucleus(scores: Tensor, top_p: float) -> Tensor:
    """The scores, with -inf for every token after the one whose probability takes the sum past `top_p`."""
    ranked, order = scores.sort(dim=-1, descending=True)
    probs = ranked.softmax(dim=-1)
    sum_before = probs.cumsum(dim=-1) - probs
    cut = sum_before >= top_p
    cut[:, 0] = False
    return scores.masked_fill(cut.scatter(dim=-1, index=order, src=cut), -torch.inf)
    # END SOLUTION
