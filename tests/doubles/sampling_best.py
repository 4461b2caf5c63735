"""Verdicts on a sampler that should take one token of each row: the others are ruled out, or too unlikely to come.

Each function is handed a solution's step 2 and raises a `CheckFailure` where another token comes.
"""

from types import ModuleType

import torch
from torch import Tensor

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.draws import call_text, draw, sample
from tests.doubles.logits import DRAWN

NO_NUMBER = "token 2 is ruled out: -inf lies below every number, also where all are negative. Put none in its place."


def expect_best(step: ModuleType, logits: Tensor, params: SamplingParams, why: str, times: int = 16) -> None:
    """Every row's best token, call after call."""
    wanted, call = logits.double().argmax(-1).tolist(), call_text(logits, params)
    for _ in range(times):
        got = sample(step, logits, params, why=why)
        if got != wanted and len({tuple(sample(step, logits, params, why=why)) for _ in range(64)}) > 1:
            why = f"a token is drawn here, another one each time: {why}"
            expect(False, call=call, got=got, wanted=wanted, why=why, varies=True)
        expect(got == wanted, call=call, got=got, wanted=wanted, why=why)


def expect_only(step: ModuleType, row: Tensor, params: SamplingParams, times: int) -> None:
    """The best token of a row (vocab,) so steep that no other is ever drawn."""
    why, best = "the best token's probability is 1, all others' together below e**-80.", int(row.argmax())
    drawn = sorted(set(draw(step, row, params, times=times, why=why)))
    call, got, wanted = call_text(row, params), f"drawn: {drawn}", f"drawn: only token {best}"
    if len(drawn) > 1:
        why += " Yet others are drawn now and then: add nothing to the probabilities, and do not lift low "
        why += "scores to a least one (clamp)."
    expect(drawn == [best], call=call, got=got, wanted=wanted, why=why, varies=True)


def tells_close_scores_apart(step: ModuleType) -> None:
    """At temperature 0 the best of negative logits beside -inf, and of two neighbours in each float type."""
    close, params = torch.tensor([[-5.0002, -5.0001, -torch.inf, -5.0003]], device="cpu"), SamplingParams()
    why = "these are close, and one is the best: compare the logits as they are, unrounded."
    if sample(step, close, params, why=why) == [2]:
        why = NO_NUMBER
    expect_best(step, close, params, why)
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        neighbours = torch.tensor([[0.1, 0.1, 0.0]], dtype=dtype, device="cpu")
        neighbours[0, 1] += torch.finfo(dtype).eps / 16  # the next number of this type
        next_to = f"token 1 is the next larger number in {dtype}. Softmax makes both equal, and a small temperature in "
        next_to += "the place of 0 does not tell them apart: return the argmax of the logits, before you divide."
        expect_best(step, neighbours, params, next_to)


def takes_either_of_two_best(step: ModuleType) -> None:
    """With top_k 1 one of two tokens that are equally good, and never one that -inf rules out."""
    params = SamplingParams(temperature=1.0, top_k=1)
    ties = torch.tensor([[-3.0, -1.0, -torch.inf, -1.0]], device="cpu")
    got = sample(step, ties, params)[0]
    why = NO_NUMBER if got == 2 else "of equally good ones either."
    expect(got in (1, 3), call=call_text(ties, params), got=got, wanted="1 or 3", why=why)


def draws_each_row_by_its_own_logits(step: ModuleType) -> None:
    """Of four rows, and of 131, each of which has one likely token, at a height of its own."""
    peaks = torch.tensor([[5], [0], [7], [3]], device="cpu")
    heights = torch.tensor([[0.0], [80.0], [20.0], [-80.0]], device="cpu")
    logits = torch.full((4, 8), -120.0, device="cpu").scatter(1, peaks, heights)  # another: odds below 64 * 7 * e**-40
    why = "each row has one likely token: softmax works along the last dimension (dim=-1), and what is taken off "
    why += "before exp() is the largest logit of that row, not of the batch. A rank is looked up in that row's own ids."
    expect_best(step, logits, DRAWN, why)
    many = logits[[at % 7 % 4 for at in range(131)]]
    pairs = zip(sample(step, many, DRAWN), many.argmax(-1).tolist(), strict=True)
    wrong, got, wanted = next(((at, *pair) for at, pair in enumerate(pairs) if pair[0] != pair[1]), (0, 0, 0))
    why = f"row {wrong} of 131 draws by other logits than its own: a batch may have any number of rows."
    expect(got == wanted, call=f"{call_text(many, DRAWN)}[{wrong}]", got=got, wanted=wanted, why=why)
