"""Verdicts on how often a sampler draws each token, held against exact probabilities. Each names the slip it sees.

Right draws fail one trial with odds below 2 * tokens * e**-14 (Chernoff's bound for each token), and a failed trial is
repeated twice with other seeds: with 8 tokens a false alarm has odds below 1e-13. A wrong distribution is then judged
against those of well-known slips.
"""

from types import ModuleType

import torch
from torch import Tensor

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.draws import DRAWS, SEEDS, call_text, draw, is_kept, odds_among, right_odds, sample
from tests.doubles.logits import DRAWN

LIMIT = 14.0
JOINT = 256  # calls with two rows each
RANDOM_ZERO = "Token 0 has odds of 0, and comes where the random number is exactly 0: with few digits, as in 16 bits, "
RANDOM_ZERO += "that is often. Make float32 of such logits first, and let a sum of 0 be passed over (`<=`)."


def misfit(counts: Tensor, odds: Tensor) -> float:
    """How far counts are from their odds: the largest n * KL(observed || odds) of any token.

    For right draws it exceeds t with a probability below 2 * tokens * e**-t.
    """
    counts, odds = counts.double().flatten(), odds.double().flatten()
    draws = counts.sum()
    terms = [torch.xlogy(n, n / (draws * p).clamp_min(1e-300)) for n, p in ((counts, odds), (draws - counts, 1 - odds))]
    return float((terms[0] + terms[1]).nan_to_num(nan=torch.inf).max())


def expect_frequencies(step: ModuleType, row: Tensor, params: SamplingParams, why: str, draws: int = DRAWS) -> None:
    """Each token of the row (vocab,) comes as often as softmax says, under temperature and top_k."""
    wanted = right_odds(row, params)
    for seed in SEEDS:
        drawn = draw(step, row, params, seed=seed, times=draws, why=why)
        counts = torch.tensor(drawn).bincount(minlength=len(row))
        if misfit(counts, wanted) < LIMIT:
            return
    slips = {slip: misfit(counts, odds) for slip, odds in _slips(row, params).items()}
    strays = (counts * (wanted == 0)).nonzero().flatten().tolist()
    if strays == [0] and row[0] > -torch.inf:  # what fails to remove brings back more than the first
        slips, why = {RANDOM_ZERO: 0.0}, ""
    slip = min(slips, key=slips.__getitem__)
    lost = (counts == 0) & (wanted * draws > 28)
    if lost.any() and misfit(counts[~lost], wanted[~lost] / wanted[~lost].sum()) < LIMIT <= slips[slip]:
        names = ", ".join(map(str, lost.nonzero().flatten().tolist()))
        why = f"Never drawn: token {names}. No token is dropped for its small share (min_p was not asked for)."
    if counts[row == -torch.inf].sum() > 0:
        why = f"A token was drawn that -inf rules out. {why}"
    expect(
        False,
        call=f"{call_text(row, params)}, {draws} times",
        got=_shown(counts / draws, wanted),
        wanted=_shown(wanted, wanted),
        why=f"{slip} {why}".strip() if slips[slip] < LIMIT else why,
        varies=True,
    )


def expect_independent_rows(step: ModuleType, row: Tensor, params: SamplingParams, why: str) -> None:
    """Two equal rows in one batch: every pair of tokens comes as often as the product of their odds says."""
    odds = right_odds(row, params)
    wanted = torch.outer(odds, odds)
    for seed in SEEDS:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            pairs = torch.tensor([sample(step, row.repeat(2, 1), params) for _ in range(JOINT)])
        counts = torch.zeros_like(wanted).index_put(tuple(pairs.T), wanted.new_ones(()), accumulate=True)
        if misfit(counts, wanted) < LIMIT:
            return
    same = counts.diag().sum() / counts.sum()
    expect(
        False,
        call=f"{call_text(row.repeat(2, 1), params)}, {JOINT} times",
        got=f"both rows drew the same token in {same:.0%} of the calls",
        wanted=f"in {wanted.diag().sum():.0%}, as for draws that know nothing of each other",
        why=f"{'seldom' if same < wanted.diag().sum() else 'too often'} the same: {why}",
        varies=True,
    )


def draws_many_different(step: ModuleType) -> None:
    """Of 2560 equally likely tokens, in 16 bits, 512 draws bring about 464 different ones."""
    why = "small odds are odds: drop no token for its small share, and round none."
    row = torch.zeros(2560, dtype=torch.bfloat16, device="cpu")
    different = len(set(draw(step, row, DRAWN, times=512, why=why)))
    if different > 1:
        why += " Draw with float32 random numbers at least: 16 bits, or three digits, have too few values for so many "
        why += "tokens, and so have sums of 16 bits. Make float32 of such logits first."
    got, wanted = f"{different} different tokens", "about 464 different ones"  # below 420: odds of 6e-12, worked out
    expect(different >= 420, call=f"{call_text(row, DRAWN)}, 512 times", got=got, wanted=wanted, why=why, varies=True)


def _slips(row: Tensor, params: SamplingParams) -> dict[str, Tensor]:
    """The odds that well-known slips lead to, by what there is to say of each."""
    short, row = row.half().double(), row.double()
    temperature, kept = params.temperature, is_kept(row, params.top_k)
    scores, everything = row / temperature, torch.ones_like(kept)
    too_late = odds_among(scores, everything)
    too_late = too_late.where(kept, 0.0) + (row == row.max()) * too_late[~kept].sum()
    low_number = odds_among(scores.where(kept, -10_000 / temperature), everything)
    lost = "These are the odds of logits rounded to 16 bits."
    if (short == short[0]).all():
        lost = "Every token comes equally often: logits rounded to 16 bits, or cut off at some number (clamp)?"
    rounded = {lost: odds_among(short / temperature, kept)} if not torch.equal(short, row) else {}
    others = {f"raised to {floor}": max(temperature, floor) for floor in (0.1, 0.05, 0.02, 0.01, 0.001)}
    others |= {f"to which {more} was added": temperature + more for more in (0.01, 0.001, 1e-4)}
    others |= {"lowered to 2": min(temperature, 2.0)}
    moved = {
        f"These are the odds of a temperature {how}.": odds_among(row / other, kept)
        for how, other in others.items()
        if other != temperature
    }
    known = rounded | moved
    if 1 < params.top_k < len(row):
        one_less = "The k-th best is dropped: compare it with its own value, in the same type, unrounded."
        known[one_less] = odds_among(scores, is_kept(row, params.top_k - 1))
    return known | {
        "Always the best token: nothing is drawn.": (row == row.max()).double(),
        "These are the odds of logits multiplied by the temperature.": odds_among(row * temperature, kept),
        "These are the odds of logits that the temperature never changed.": odds_among(row, kept),
        "These are the odds of logits divided by the temperature twice.": odds_among(scores / temperature, kept),
        "These are the odds of softmax taken twice.": odds_among(odds_among(scores, kept), kept),
        "These are the odds of a softmax that was squared.": odds_among(2 * scores, kept),
        "Every token comes equally often: softmax over the wrong dimension?": odds_among(0 * row, everything),
        "Every kept token comes equally often: probabilities are lost.": kept / kept.sum(),
        "top_k is not applied here.": odds_among(scores, everything),
        "What was drawn outside of the best became the best one: filter before the draw.": too_late,
        "A removed score became -10,000, which is a score like any other: it becomes -inf, and no number.": low_number,
        "A removed score must become -inf, and no number.": odds_among(scores.where(kept, 0.0), everything),
        "The worst tokens come most often: a sign is lost.": odds_among(-scores, kept),
    }


def _shown(odds: Tensor, wanted: Tensor) -> str:
    order = wanted.argsort(descending=True).tolist()
    return ", ".join(f"token {token}: {odds[token]:.0%}" for token in order[:6] if odds[token] + wanted[token] > 0)
