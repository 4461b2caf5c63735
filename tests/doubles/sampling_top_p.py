"""Verdicts on the tokens that a sampler draws under top_p: the smallest set of best ones that reaches it.

Each function is handed a solution's step 2 and raises a `CheckFailure` where more or fewer tokens are drawn.
"""

from types import ModuleType

import torch
from torch import Tensor

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.draws import best_tokens, call_text, draw, drawn_by_row, right_odds
from tests.doubles.logits import ROW


def expect_nucleus(step: ModuleType, row: Tensor, params: SamplingParams, kept: int, why: str) -> None:
    """Exactly the `kept` best tokens are drawn. None has a share below 0.7%: odds of missing it below 1e-12."""
    drawn, wanted = sorted(set(draw(step, row, params, why=why))), sorted(best_tokens(row, kept))
    if drawn == sorted(best_tokens(row, kept - 1)):
        why = "the token that crosses top_p is lost: drop a token only where the sum *before* it has reached top_p."
    if drawn == list(range(len(drawn))) and int(row.argmax()) not in drawn:
        why = "the first ids are kept, and not the best: after a sort the columns are ranks. Put the mask back into "
        why += "the order of the ids (`scatter`), or look the id of the drawn rank up (`gather`)."
    expect(drawn == wanted, call=call_text(row, params), got=f"drawn: {drawn}", wanted=f"drawn: {wanted}", why=why)


def expect_wide_nucleus(step: ModuleType) -> None:
    """Of 1536 nearly equal tokens those that reach 0.5 are drawn, about 750, and no others.

    Odds of 320 draws without one beyond place 690: below 0.93**320 < 1e-10.
    """
    row, params = torch.arange(1536, device="cpu") * 37 % 1536 / 2**14, SamplingParams(temperature=1.0, top_p=0.5)
    best_first = right_odds(row, SamplingParams(temperature=1.0)).sort(descending=True).values
    kept = int((best_first.cumsum(-1) < 0.5).sum()) + 1
    worst = max(int((row > row[token]).sum()) + 1 for token in draw(step, row, params, times=320))
    why = "a nucleus may hold most of a vocabulary: sort and add up all of the tokens, not the first thousand, say."
    got, wanted = f"320 tokens, the last at place {worst}", f"tokens from all of the {kept} best, and no others"
    expect(690 < worst <= kept + 1, call=call_text(row, params), got=got, wanted=wanted, why=why, varies=True)


def cuts_equal_tokens_by_place(step: ModuleType) -> None:
    """Three of four equally likely tokens reach 0.6; which three is free."""
    equal, params = torch.zeros(4, device="cpu"), SamplingParams(temperature=1.0, top_p=0.6)
    drawn = set(draw(step, equal, params))
    why = "three of four equal tokens reach 0.6: cut by place, for a threshold keeps all that equal the last one."
    got = f"{len(drawn)} different tokens"
    expect(len(drawn) == 3, call=call_text(equal, params), got=got, wanted="3 different ones", why=why)


def cuts_each_row_by_itself(step: ModuleType) -> None:
    """Three rows of other orders have nuclei of their own, of two tokens, of one, and of two."""
    rows, params = torch.stack([ROW, -ROW, ROW.roll(3)]), SamplingParams(temperature=1.0, top_p=0.45)
    why = "sort, sum and mask along the last dimension, and put the mask back into the order of the ids, row by row."
    drawn = drawn_by_row(step, rows, params, times=128, why=why)
    wanted = [{1, 5}, {4}, {4, 0}]  # missing one: odds below 5 * 0.63**128 < 1e-24
    expect(drawn == wanted, call=call_text(rows, params), got=f"drawn: {drawn}", wanted=f"drawn: {wanted}", why=why)
