"""Verdicts on the tokens that a sampler draws under top_k: the k best, all of them, and no others.

Each function is handed a solution's step 2, raises a `CheckFailure`, and names the slip that explains what it saw.
"""

import contextlib
from collections.abc import Callable
from types import ModuleType

import torch
from torch import Tensor

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.draws import DRAWS, best_tokens, call_text, draw, drawn_by_row, is_kept, odds_among, sample
from tests.doubles.logits import FLAT, ROW, THREE_ROWS
from tests.doubles.sampling_best import expect_best
from tests.doubles.sampling_odds import LIMIT, misfit

PLACES = "these are places in the list of the k best, not ids: look the ids up (`indices.gather`)."
NO_RANKS = "k tokens stay, but not the best: `argsort` gives the id at each place, not each id's place."
LEFT_OVER = "the last of all tokens gets what is left over: after the filter the probabilities no longer add up to 1, "
LEFT_OVER += "so take softmax after the filter, or divide by their sum."


def leaves_one_candidate(step: ModuleType) -> None:
    """With top_k 1 the best token of each of three rows, at two temperatures."""
    wanted, places = THREE_ROWS.argmax(-1).tolist(), THREE_ROWS.argsort(-1, descending=True)
    why = "top_k 1 leaves one token, the best, whatever the temperature: `<` drops the others, `<=` drops it too."
    for temperature in (0.7, 2.0):
        params = SamplingParams(temperature=temperature, top_k=1)
        tried, call = (sample(step, THREE_ROWS, params) for _ in range(8)), call_text(THREE_ROWS, params)
        got = next((ids for ids in tried if ids != wanted), wanted)
        if got != wanted:
            why = _slip_of_one_candidate(step, ROW, params) or why
        expect(why != LEFT_OVER, call=call, got=got, wanted=wanted, why=why, varies=True)
        expect(got != [0, 0, 0], call=call, got=got, wanted=wanted, why=PLACES)
        expect(got != (places == 0).int().argmax(-1).tolist(), call=call, got=got, wanted=wanted, why=NO_RANKS)
        expect_best(step, THREE_ROWS, params, why)


def _slip_of_one_candidate(step: ModuleType, row: Tensor, params: SamplingParams) -> str:
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
    if strays and _fits(step, params, lambda odds, kept: odds * kept):
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
    elif len(drawn) == times and {sample(step, row[None], params)[0] for _ in range(8)} <= set(best):
        why = "a row by itself is right, and of equal rows each drew another token: draw for each row apart from the "
        why += "others, whose tokens rule out none of its own."
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


def expect_tied(step: ModuleType, params: SamplingParams) -> None:
    """Where tokens 2, 3 and 4 are tied at the k-th value: the better token 1 is drawn, and some or all of these."""
    row = torch.tensor([0.0, 2.0, 1.0, 1.0, 1.0, 0.0, -1.0, 0.0], device="cpu")
    drawn = set(draw(step, row, params))
    is_right = drawn <= {1, 2, 3, 4} and 1 in drawn and len(drawn) > 1  # always or never token 1: 0.8**4096
    why = "tokens 2, 3 and 4 are tied at the k-th value: drop what is below it (`<`), not what equals it."
    if drawn >= {0, 1, 5}:
        why = "equal scores count one by one: the k-th best is at the k-th place, and not the k-th different value."
    got = f"drawn: {sorted(drawn)}"
    expect(is_right, call=call_text(row, params), got=got, wanted="token 1, and some or all of 2, 3, 4", why=why)


def keeps_each_rows_own(step: ModuleType) -> None:
    """Of three rows at other heights each draws among its own two best; one with two tokens left binds no other row."""
    rows = THREE_ROWS + torch.tensor([[0.0], [40.0], [-2.0]], device="cpu")
    params, best = SamplingParams(temperature=1.0, top_k=2), [{1, 5}, {2, 6}, {6, 2}]
    why = "the k-th best value is another one in each row: keep its dimension, (batch, 1), and compare row by row."
    drawn = drawn_by_row(step, rows, params, times=64, why=why)
    is_right = all(tokens <= own for tokens, own in zip(drawn, best, strict=True))
    if drawn[0] <= best[0] and len(drawn[1]) > 2:
        why = f"every row is measured by the first one's threshold: {why}"
    elif drawn[0] & {3, 7}:  # 2.0 and 1.5, which no row has among its best
        why = f"every row is measured by the lowest threshold of all: {why}"
    elif not drawn[0] <= best[0]:
        why = f"a value stays that is among the best of another row: {why}"
    got, wanted = f"drawn: {drawn}", f"only {best}"
    expect(is_right, call=call_text(rows, params), got=got, wanted=wanted, why=why, varies=True)
    ruled_out = ROW.masked_fill(ROW < 2.5, -torch.inf)  # two are left
    rows, params = torch.stack([ruled_out, *[FLAT] * 256, ruled_out]), SamplingParams(temperature=1.0, top_k=4)
    others = set(sample(step, rows, params, why=why)[1:-1])  # to miss one: odds below 4 * 0.8**256
    why = "another row has only two tokens that are not -inf, and that is its own affair: here the k best stay."
    got, wanted = f"rows 1 to 256 drew {sorted(others)}", "each of 1, 3, 5, 7"
    expect(others == {1, 3, 5, 7}, call=call_text(rows, params), got=got, wanted=wanted, why=why)
