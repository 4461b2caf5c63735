"""Verdicts on a sampler: which tokens it draws, and how often. Each names the slip that explains what it saw.

A frequency is judged against exact probabilities. Right draws fail one trial with odds below 2 * tokens * e**-14
(Chernoff's bound for each token), and a failed trial is repeated twice with other seeds: with 8 tokens a false alarm
has odds below 1e-13. A wrong distribution is then judged against those of well-known slips.
"""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import torch
from torch import Tensor

from kata.failure import CheckFailure, expect
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from tests.doubles.draws import (
    DRAWS,
    SEEDS,
    best_tokens,
    call_text,
    draw,
    is_kept,
    is_not_started,
    odds_among,
    right_odds,
    sample,
)

PLACES = "these are places in the list of the k best, not ids: look the ids up (`indices.gather`)."
NO_RANKS = "k tokens stay, but not the best: `argsort` gives the id at each place, not each id's place."
LEFT_OVER = "the last of all tokens gets what is left over: after the filter the probabilities no longer add up to 1, "
LEFT_OVER += "so take softmax after the filter, or divide by their sum."
LIMIT = 14.0
JOINT = 256  # calls with two rows each


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
        slips = {
            "Token 0 has odds of 0, and comes where the random number is exactly 0: in 16 bits that is often.": 0.0
        }
    slip = min(slips, key=slips.__getitem__)
    if counts[row == -torch.inf].sum() > 0:
        why = f"A token was drawn that -inf rules out. {why}"
    expect(
        False,
        call=f"{call_text(row, params)}, {draws} times",
        got=_shown(counts / draws, wanted),
        wanted=_shown(wanted, wanted),
        why=f"{slip} {why}" if slips[slip] < LIMIT else why,
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


def expect_best(step: ModuleType, logits: Tensor, params: SamplingParams, why: str, times: int = 16) -> None:
    """Every row's best token, call after call."""
    wanted, call = logits.double().argmax(-1).tolist(), call_text(logits, params)
    for _ in range(times):
        got = sample(step, logits, params, why=why)
        if got != wanted and len({tuple(sample(step, logits, params, why=why)) for _ in range(64)}) > 1:
            why = f"a token is drawn here, another one each time: {why}"
            expect(False, call=call, got=got, wanted=wanted, why=why, varies=True)
        expect(got == wanted, call=call, got=got, wanted=wanted, why=why)


def slip_of_one_candidate(step: ModuleType, row: Tensor, params: SamplingParams) -> str:
    """What keeps top_k 1 from leaving the best token alone, where a row by itself, or a higher one, tells it."""
    best = [int(row.argmax())]
    with contextlib.suppress(CheckFailure):
        higher = [sample(step, (row + 100)[None], params) for _ in range(64)]
        alone = [sample(step, row[None], params) for _ in range(64)]
        if {token for drawn in alone for token in drawn} == {*best, len(row) - 1}:
            return LEFT_OVER
        if all(drawn == best for drawn in alone):
            why = "a row by itself is right, and several are not: compare row by row, (batch, 1), and let softmax work "
            return why + "along the last dimension, dim=-1."
        if all(drawn == best for drawn in higher):
            return "a removed score became 0, which is a score like any other: it becomes -inf."
    return ""


def expect_only_best(step: ModuleType, row: Tensor, k: int, times: int = DRAWS // 4, why: str = "") -> None:
    """No token outside the k best is ever drawn."""
    params, best = SamplingParams(temperature=1.0, top_k=k), best_tokens(row, k)
    drawn = set(draw(step, row, params, times=times))
    strays = [token for token in best_tokens(row, len(row)) if token in drawn - set(best)]
    why = why or (
        "nothing was removed, or noise was added before: every logit below the k-th best becomes -inf, then a token is "
        "drawn."
    )
    if strays and _fits(step, SamplingParams(temperature=1.0, top_k=k), lambda odds, kept: odds * kept):
        why = "a removed score became 0, which is a score like any other: it becomes -inf."
    if drawn <= set(range(k)):
        why = PLACES
    elif drawn == {token for token, other in enumerate(best_tokens(row, len(row))) if other < k}:
        why = NO_RANKS
    elif strays == [len(row) - 1] and strays != best_tokens(row, k + 1)[-1:]:
        why = LEFT_OVER
    elif strays == best_tokens(row, k + 1)[-1:]:
        why = "one token too many: the k-th best value stands at place k - 1, and is the last to stay."
    elif not drawn & set(best) and len(row) < times:  # of a large row the best have a small share
        why = "the best are removed and the others kept: the comparison, or `largest`, is the wrong way round."
    shown = ", ".join(map(str, best[:8])) + (", …" if k > 8 else "")
    got = f"drawn: token {strays[0] if strays else None}, which is not among the {k} best ({shown})"
    expect(not strays, call=call_text(row, params), got=got, wanted=f"only the {k} best", why=why)


def _fits(step: ModuleType, params: SamplingParams, scores: Callable[[Tensor, Tensor], Tensor]) -> bool:
    """Whether draws come by these scores, made of a steep row's own and of which of its tokens top_k keeps."""
    row = torch.arange(1.0, 9.0, device="cpu") / 2
    kept = is_kept(row, params.top_k)
    odds = odds_among(scores(row.double(), kept), torch.ones_like(kept))
    return misfit(torch.tensor(draw(step, row, params)).bincount(minlength=8), odds) < LIMIT


def expect_each_of_best(step: ModuleType, row: Tensor, top_k: int) -> None:
    """Each token that top_k keeps is drawn, of tokens that come nearly equally often.

    Only what is missing is waited for. Odds of never seeing one of 104 with shares of 0.9%: 104 * 0.991**4096 < 1e-13.
    """
    params = SamplingParams(temperature=1.0, top_k=top_k)
    kept = int(is_kept(row, top_k).sum())
    is_off = kept == len(row)
    why = "a top_k of 0 and below, or of the vocabulary's size and above, keeps every token." if is_off else ""
    drawn: set[int] = set()
    missing = best_tokens(row, kept)
    for seed in range(4):
        drawn.update(draw(step, row, params, seed=seed, times=DRAWS // 4, why=why) if missing else ())
        missing = [token for token in missing if token not in drawn]
    if len(drawn) == 1:
        why = "only one is ever taken: draw from the kept tokens (`torch.multinomial`)."
        if len({sample(step, row[None], params)[0] for _ in range(64)}) > 1:
            why = "a row by itself is right, and of equal rows only the best one is ever drawn: look for the k-th best "
            why += "value in each row, (batch, 1), not among those of all rows."
    elif not is_off and missing == best_tokens(row, kept)[-1:]:
        why = "one token too few: the k-th best itself stays. Drop what is below it (`<`), not what equals it."
    why = why or f"{kept} tokens must stay, and each be drawn in its turn."
    got = f"{len(drawn)} different tokens; never drawn: token {missing[0] if missing else None}"
    call = f"{call_text(row, params)}, {DRAWS} times"
    expect(not missing, call=call, got=got, wanted=f"each of the {kept} best", why=why)


def expect_much_of_many(step: ModuleType, top_k: int, why: str, dtype: torch.dtype = torch.float32) -> None:
    """Of 32,767 tokens with shares below 0.00001 the worse half of those that top_k keeps is drawn too; no other is.

    Only until one of that half has come: odds of never seeing one below 0.93**320 < 1e-10.
    """
    params = SamplingParams(temperature=1.0, top_k=top_k)
    row = torch.arange(32_768, device="cpu") * 37 % 32_768 / 2**20 - 2
    kept, worst = top_k if top_k > 0 else len(row), 0  # places among the best, from 0
    row[0] = 10.2 if top_k < 1 else 8.0  # it has 86%, or 57%: others are many and small, and slow code is soon done
    row = row.to(dtype)
    for seed in range(40):
        drawn = draw(step, row, params, seed=seed, times=8, why=why)
        worst = max(worst, *(int((row > row[token]).sum()) for token in drawn))
        if worst >= kept // 2:
            break
    got = f"a token at place {worst + 1}" if worst >= kept else f"320 tokens, none beyond place {worst + 1}"
    wanted = f"tokens from all of the {kept} best"
    expect(kept // 2 <= worst < kept, call=call_text(row, params), got=got, wanted=wanted, why=why, varies=True)


def expect_nucleus(step: ModuleType, row: Tensor, params: SamplingParams, kept: int, why: str) -> None:
    """Exactly the `kept` best tokens are drawn. None has a share below 0.7%: odds of missing it below 1e-12."""
    drawn, wanted = sorted(set(draw(step, row, params, why=why))), sorted(best_tokens(row, kept))
    if drawn == sorted(best_tokens(row, kept - 1)):
        why = "the token that crosses top_p is lost: drop a token only where the sum *before* it has reached top_p."
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


def expect_row_named(step: ModuleType, logits: Tensor, params: SamplingParams, row: int) -> None:
    """A ValueError whose text has the number of the row."""
    shown = ", ".join(f"{value:g}" for value in logits[row, :4].tolist())
    call = f"{call_text(logits, params)}; row {row} holds [{shown}, …]"
    got = "no error"
    try:
        step.sample_next_token(logits, replace(params))
    except Exception as error:
        if is_not_started(error):
            raise
        is_named = str(row) in str(error) and not all(str(other) in str(error) for other in (row - 1, row + 1))
        if type(error) is not RequestRefused and isinstance(error, ValueError) and is_named:
            return
        got = f"{type(error).__name__}: {error}"
    why = "this row has no distribution to draw from, and whoever looks for the cause needs its number, and no other."
    expect(False, call=call, got=got, wanted=f"a ValueError that names row {row}", why=why)


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
