"""Fixed logits that the checks of step 2 hand in: their best tokens, and their odds, are known."""

import torch

from shared.sampling_params import SamplingParams

# Best first: tokens 1, 5, 3, 7, 0, 6, 2, 4. No ties, exact in every float type, and a rank is never the id.
ROW = torch.tensor([1.0, 3.0, 0.0, 2.0, -1.0, 2.5, 0.5, 1.5], device="cpu")
FLAT = ROW / 8  # every token has a share of 9% to 15%
CLOSE = 1 + ROW / 2**17 * (ROW < 3) + 2 * (ROW == 3)  # all but the best are 0.000004 apart, and equal in 16 bits
LARGE = torch.zeros(60_000, device="cpu")  # where a little for each is a lot for all
LARGE[[50_000, 7]] = torch.tensor([2.0, 1.0], device="cpu")
WIDE = torch.arange(104, device="cpu") * 37 % 104 / 1024  # 104 tokens, each with a share of 0.9% to 1.0%
THREE_ROWS = torch.stack([ROW, ROW.roll(1), ROW.flip(0)])
DRAWN = SamplingParams(temperature=1.0)
