"""Draws from a sampler, one strict call at a time, and the odds that they should have. Knows nothing of models."""

import re
from dataclasses import fields, replace
from types import ModuleType

import torch
from torch import Tensor

from kata.causes import is_misspelt, sentence_on
from kata.failure import CheckFailure
from shared.sampling_params import SamplingParams

DRAWS = 4096
SEEDS = (1, 2, 3)
_GREEDY = "a temperature of 0 or below takes the best token: return it before you divide."
_CAUSES = (  # what Python or torch say, and what is behind it
    (
        r"k out of range|k not in range",
        "a top_k of 0 and below, or of the vocabulary's size and above, keeps every token: "
        "call `topk` only for what lies between.",
    ),
    (
        r"contains either `inf`|sum of probabilities|invalid multinomial",
        "the probabilities are negative, NaN or all 0: softmax is missing, or does not run along the last dimension "
        "(dim=-1), a row was masked whole (tokens tied at the k-th value must stay), or exp() of large scores was "
        "taken where softmax() is safe.",
    ),
)
_SURE = (
    (r"ScalarType BFloat16", "NumPy has no bfloat16: make float32 of such logits first (`logits.float()`)."),
    (
        r"view size is not compatible",
        "the rows are `[:, -1, :]` of a larger tensor, as in the loops, and do not lie next to each other: `view` asks "
        "for that, `reshape` does not.",
    ),
)
_SIGNATURE = "keep the signature: logits, params, generator=None."


def sample(
    step: ModuleType, logits: Tensor, params: SamplingParams, generator: torch.Generator | None = None, why: str = ""
) -> list[int]:
    """One call: logits (batch, vocab) to a plain id for each row; anything else that comes back is a failure.

    Logits and params are handed in as copies: what one call writes there fools no other.
    why: what there is to say of an error, where the check knows better than torch.
    """
    batch, vocab = logits.shape
    try:
        own = _as_a_loop_does(logits), replace(params)
        ids = step.sample_next_token(*own, **({"generator": generator} if generator else {}))
    except Exception as error:
        if is_not_started(error):
            raise
        text = f"{type(error).__name__}: {error}".split("\n")[0][:200]
        causes = [
            *(cause for pattern, cause in _SURE if re.search(pattern, text)),
            _SIGNATURE if isinstance(error, TypeError) and error.__traceback__.tb_next is None else "",
            _infinite_cause(step, logits, params),
            why,
            _greedy_cause(step, logits) if params.temperature <= 0 and not is_misspelt(error) else "",
            *(cause for pattern, cause in _CAUSES if re.search(pattern, text)),
            sentence_on(error),
            "the call must not raise here.",
        ]
        call, wanted = call_text(logits, params, generator), f"ids of shape ({batch}, 1)"
        raise CheckFailure(call=call, got=text, wanted=wanted, why=next(filter(None, causes))) from error

    if not (isinstance(ids, Tensor) and ids.dtype is torch.int64 and tuple(ids.shape) == (batch, 1)):
        got = f"a tensor of shape {tuple(ids.shape)}, {ids.dtype}" if isinstance(ids, Tensor) else type(ids).__name__
        why = "one column, a row for each row of the logits: the loops join it to the ids with `torch.cat` as it is."
        wanted = f"a tensor of shape ({batch}, 1), torch.int64"
        raise CheckFailure(call=call_text(logits, params, generator), got=got, wanted=wanted, why=why)
    drawn = Tensor.tolist(ids.detach().flatten())
    if min(drawn) < 0 or max(drawn) >= vocab:
        got, wanted = f"tokens {min(drawn)} to {max(drawn)}", f"0 to {vocab - 1}"
        why = "there is no such token."
        raise CheckFailure(call=call_text(logits, params, generator), got=got, wanted=wanted, why=why)
    return drawn


def _as_a_loop_does(logits: Tensor) -> Tensor:
    """A copy whose rows (batch, vocab) do not lie next to each other: the last of two positions."""
    return torch.stack((logits, logits), dim=1)[:, -1, :]


def _infinite_cause(step: ModuleType, logits: Tensor, params: SamplingParams) -> str:
    """What there is to say of an error that comes where a logit is -inf, and not where it is a low number."""
    if not (logits == -torch.inf).any():
        return ""
    try:
        step.sample_next_token(logits.nan_to_num(neginf=float(logits.max()) - 9), params)
    except Exception:
        return ""
    return "-inf takes part like any other logit: it rules out one token, and is no error."


def _greedy_cause(step: ModuleType, logits: Tensor) -> str:
    """What there is to say of an error at temperature 0: the guard may stand the wrong way round."""
    best = logits.argmax(-1, keepdim=True)
    try:
        warm = [step.sample_next_token(logits.clone(), SamplingParams(temperature=9.0)) for _ in range(64)]
        is_inverted = all(torch.equal(ids, best) for ids in warm)
    except Exception:
        is_inverted = False
    turned = " Here the best one is taken above 0: the comparison is the wrong way round."
    return _GREEDY + turned * is_inverted


def draw(
    step: ModuleType, row: Tensor, params: SamplingParams, *, seed: int = SEEDS[0], times: int = DRAWS, why: str = ""
) -> list[int]:
    """`times` draws from one row (vocab,), as one batch of equal rows. The global RNG is afterwards as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed also seeds devices, which takes longer
        return sample(step, row.repeat(times, 1), params, why=why)


def drawn_by_row(
    step: ModuleType, rows: Tensor, params: SamplingParams, *, times: int, why: str = ""
) -> list[set[int]]:
    """The different tokens that each row of (batch, vocab) draws in so many calls."""
    calls = (sample(step, rows, params, why=why) for _ in range(times))
    return [set(column) for column in zip(*calls, strict=True)]


def is_not_started(error: Exception) -> bool:
    """Whether this is a stub's NotImplementedError, and not torch's, which has one for types it cannot do."""
    return isinstance(error, NotImplementedError) and "TODO" in str(error)


def best_tokens(row: Tensor, k: int) -> list[int]:
    """The k best tokens of a row without ties, best first."""
    return row.double().topk(k).indices.tolist()


def is_kept(row: Tensor, top_k: int) -> Tensor:
    """Which tokens (vocab,) top_k keeps, for a row without ties at the k-th value."""
    kept = torch.zeros(len(row), dtype=torch.bool)
    kept[best_tokens(row, top_k if 0 < top_k < len(row) else len(row))] = True
    return kept


def odds_among(scores: Tensor, kept: Tensor) -> Tensor:
    """Softmax over the kept tokens alone."""
    return scores.double().masked_fill(~kept, -torch.inf).softmax(-1)


def right_odds(row: Tensor, params: SamplingParams) -> Tensor:
    """The exact probabilities (vocab,) under temperature and top-k."""
    return odds_among(row.double() / params.temperature, is_kept(row, params.top_k))


def call_text(logits: Tensor, params: SamplingParams, generator: object = None) -> str:
    """The call as a learner would write it; long rows, or many that differ, by their shape alone."""
    settings = ", ".join(
        f"{field.name}={getattr(params, field.name)!r}"
        for field in fields(params)
        if getattr(params, field.name) != field.default
    )
    rows = logits.reshape(-1, logits.shape[-1])
    is_repeated = len(rows) > 3 and bool((rows == rows[:1]).all())  # equal rows, for many draws
    shown = f"logits {tuple(rows.shape)}"
    if rows.shape[-1] <= 8 and (len(rows) <= 3 or is_repeated):
        different = rows[:1] if is_repeated else rows
        shown = str([[float(f"{value:.7g}") for value in row] for row in different.tolist()])
        shown += f" * {len(rows)}" if is_repeated else ""
    shown += "" if logits.dtype is torch.float32 else f" in {str(logits.dtype).removeprefix('torch.')}"
    return f"sample_next_token({shown}, SamplingParams({settings}){', generator' if generator else ''})"
