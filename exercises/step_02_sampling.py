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
    # TODO 2: the best token, or scale, filter, softmax and draw (about 8 lines, stretch 15 more)
    raise NotImplementedError("TODO 2: the best token, or scale, filter, softmax and draw")
