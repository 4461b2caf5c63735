"""Verdicts on the chance in a sampler: no draw decides another one, and whose random numbers they are.

Each function is handed a solution's step 2 and raises a `CheckFailure` where it breaks the promise.
"""

from itertools import pairwise
from types import ModuleType

import torch

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.draws import call_text, sample
from tests.doubles.generator_slips import (
    draws_with,
    is_repeated_by_the_global_seed,
    keeps_a_generator,
    seeds_the_world,
)
from tests.doubles.logits import DRAWN, FLAT, THREE_ROWS


def differs_from_call_to_call(step: ModuleType) -> None:
    """64 calls with the same logits do not all give one token."""
    drawn = [sample(step, FLAT[None], DRAWN)[0] for _ in range(64)]  # all equal: odds below 0.15**63
    if len(set(drawn)) > 1:
        return
    got, is_drawn = f"token {drawn[0]} every time", False
    if len(set(sample(step, FLAT.repeat(64, 1), DRAWN))) > 1:
        is_drawn, got = True, f"{got}, in a batch of 64 others too"
        why = "the random numbers start again at each call: do not make a generator inside the sampler (a new "
        why += "torch.Generator() begins at the same seed each time). Where none is handed in, hand on None."
        if seeds_the_world(step, FLAT, DRAWN):
            why = "the random numbers start again at each call: do not call torch.manual_seed, which is for the whole "
            why += "program, inside the sampler."
    elif drawn[0] == 0 and all(sample(step, FLAT.roll(turn)[None], DRAWN) == [0] for turn in range(8)):
        why = "it is the first one whatever the logits are, so nothing is drawn. Are the scores NaN (the log of a "
        why += "negative number)? The argmax of NaN is its first place."
    elif drawn[0] != FLAT.argmax():
        is_drawn, why = True, "the random numbers start again at each call: make none and seed none inside the sampler."
    else:
        got = f"token {drawn[0]}, the best, every time"
        why = "above temperature 0 the token is drawn (`torch.multinomial`), not the best one taken. And a top_k of "
        why += "-1 means all of them, not one."
    call = f"{call_text(FLAT, DRAWN)}, 64 times"
    expect(False, call=call, got=got, wanted="different tokens", why=why, varies=is_drawn)


def differs_from_row_to_row(step: ModuleType) -> None:
    """In 64 calls three equal rows do not draw one token every time, without a generator and with one."""
    rows, got = FLAT.repeat(3, 1), "three equal tokens every time"
    for generator in (None, torch.Generator().manual_seed(5)):
        drawn = [sample(step, rows, DRAWN, generator) for _ in range(64)]  # always equal: odds below 0.15**128
        call = f"{call_text(rows, DRAWN, generator)}, 64 times"
        why = "all rows share one row of random numbers, or one row's pick is used for all: every row needs random "
        why += "numbers, and a pick, of its own."
        if len(set(sample(step, 20.0 * torch.eye(3, 8, device="cpu"), DRAWN))) == 1:  # a likely token for each row
            why = "one draw serves all rows, whatever their logits are: every row is drawn by itself."
        elif generator:
            why = "with a generator handed in all rows get the same random numbers: draw once for all rows, or row "
            why += "after row from the generator as it moves on, and set it back for none of them."
        expect(any(len(set(ids)) > 1 for ids in drawn), call=call, got=got, wanted="also different ones", why=why)


def repeats_as_often_as_chance_does(step: ModuleType) -> None:
    """Of two equally likely tokens the one drawn last comes again as often as the other one."""
    pair, params = torch.tensor([[1.0, 1.0, -50.0]], device="cpu"), SamplingParams(temperature=0.7)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        drawn = [sample(step, pair, params)[0] for _ in range(600)]
    again = sum(left == right for left, right in pairwise(drawn))
    call = f"{call_text(pair, params)}, 600 times"
    why = "two equal logits are drawn alike whatever came last: "
    why += "to avoid repeats is another method, and not asked for." if again < 299 else "here the last one comes again."
    # of 599 pairs about 299.5 are equal, with a deviation of 12.2: 7.5 deviations have odds below 1e-13
    got, wanted = f"{again} repeats", "about 300 repeats"
    expect(abs(again - 299.5) < 92, call=call, got=got, wanted=wanted, why=why, varies=True)


def draws_nothing_when_greedy(step: ModuleType) -> None:
    """At a temperature of 0 or below neither torch's random numbers move nor those of a generator handed in."""
    generator = torch.Generator().manual_seed(0)
    before = generator.get_state(), torch.get_rng_state()
    for params in (SamplingParams(), SamplingParams(top_p=0.5), SamplingParams(temperature=-1.0, top_k=3)):
        sample(step, THREE_ROWS, params)
        sample(step, THREE_ROWS, params, generator)
        is_same = torch.equal(generator.get_state(), before[0]) and torch.equal(torch.get_rng_state(), before[1])
        why = "a draw that decides nothing still moves the random numbers of everybody else: return the argmax first."
        expect(is_same, call=call_text(THREE_ROWS, params), got="random state moved", wanted="untouched", why=why)


def follows_the_generators_seed(step: ModuleType) -> None:
    """Two generators of one seed give the same 64 draws, one of another seed others."""
    once, again, other = (draws_with(step, FLAT, DRAWN, torch.Generator().manual_seed(seed)) for seed in (5, 5, 6))
    call = f"{call_text(FLAT, DRAWN, 'generator')}, 64 times"
    why = "hand the generator on to what draws, as in `torch.multinomial(…, generator=generator)`."
    if once != again and is_repeated_by_the_global_seed(step, FLAT, DRAWN):
        why = f"these draws come from torch's global random numbers: {why}"
    got, wanted = f"{once[:6]}, {again[:6]}", "the same from seed 5 twice"
    expect(once == again, call=call, got=got, wanted=wanted, why=why, varies=True)
    expect(once != other, call=call, got="the same from seeds 5 and 6", wanted="others", why=why)  # odds 0.15**64


def moves_the_generator_on(step: ModuleType) -> None:
    """64 draws from one generator are not all the same, by itself or in each row of a batch."""
    drawn = draws_with(step, FLAT, DRAWN, torch.Generator().manual_seed(5))  # all equal: odds below 0.15**63
    call, got = f"{call_text(FLAT, DRAWN, 'generator')}, 64 times", f"token {drawn[0]} every time"
    why = "each call starts its random numbers again: draw from the generator itself, so that it moves on."
    expect(len(set(drawn)) > 1, call=call, got=got, wanted="different tokens", why=why, varies=True)
    generator, rows = torch.Generator().manual_seed(5), FLAT.repeat(3, 1)
    columns = list(zip(*(sample(step, rows, DRAWN, generator) for _ in range(64)), strict=True))
    still = next((row for row, column in enumerate(columns) if len(set(column)) == 1), 0)
    call = f"{call_text(rows, DRAWN, 'generator')}, 64 times"
    got = f"in row {still} token {columns[still][0]} every time"
    why = "a row of the batch starts its random numbers again at each call: all rows draw from the generator itself."
    expect(len(set(columns[still])) > 1, call=call, got=got, wanted="different tokens", why=why, varies=True)


def leaves_the_global_state_alone(step: ModuleType) -> None:
    """With a generator handed in torch's global random numbers are where they were."""
    torch.rand(1)  # so that they are not at the begin of their seed
    before = torch.get_rng_state()
    for params in (DRAWN, SamplingParams(temperature=0.7, top_k=3)):
        sample(step, THREE_ROWS, params, torch.Generator().manual_seed(5))
        is_same = torch.equal(torch.get_rng_state(), before)
        why = "requests would disturb each other: with a generator handed in, all random numbers come from it."
        if not is_same and seeds_the_world(step, FLAT, params, torch.Generator().manual_seed(5)):
            why = f"torch's global random numbers are set here (manual_seed, set_rng_state), for everybody: {why}"
        call = call_text(THREE_ROWS, params, "generator")
        expect(is_same, call=call, got="the global random state moved", wanted="as it was", why=why)


def follows_the_global_seed(step: ModuleType) -> None:
    """Without a generator torch's seed gives the same 64 draws again, and another seed others."""
    drawn = []
    sample(step, FLAT[None], DRAWN, torch.Generator().manual_seed(5))  # an earlier call's, for that call alone
    for seed in (5, 5, 6):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            drawn.append(draws_with(step, FLAT, DRAWN, None))
    call = f"torch.manual_seed(5); {call_text(FLAT, DRAWN)}, 64 times"
    why = "draw from torch's global random numbers then: no generator or seed of your own, no numpy, no random."
    if drawn[0] != drawn[1] and keeps_a_generator(step, FLAT, DRAWN):
        why = "here an earlier call's generator decides: it is for the call that hands it in alone."
    got = f"{drawn[0][:6]}, {drawn[1][:6]}"
    expect(drawn[0] == drawn[1], call=call, got=got, wanted="twice the same", why=why, varies=True)
    expect(drawn[0] != drawn[2], call=call, got="seed 6 gives the same", wanted="other draws", why=why)
