"""Checks of step 2: which token is taken, and how often. No model, no tokenizer, no transformers.

Every false alarm has odds below 1e-9: stated here where few calls decide, in `sampling_verdicts` for the others.
"""

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, product
from types import ModuleType

import pytest
import torch

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.draws import call_text, draw, is_not_started, sample
from tests.doubles.elsewhere import DEVICE, MixedDevices, elsewhere, send
from tests.doubles.generator_slips import (
    draws_with,
    is_repeated_by_the_global_seed,
    keeps_a_generator,
    seeds_the_world,
)
from tests.doubles.sampling_verdicts import (
    LEFT_OVER,
    NO_RANKS,
    PLACES,
    expect_best,
    expect_each_of_best,
    expect_frequencies,
    expect_independent_rows,
    expect_much_of_many,
    expect_nucleus,
    expect_only_best,
    expect_row_named,
    expect_wide_nucleus,
    slip_of_one_candidate,
)

# Best first: tokens 1, 5, 3, 7, 0, 6, 2, 4. No ties, exact in every float type, and a rank is never the id.
ROW = torch.tensor([1.0, 3.0, 0.0, 2.0, -1.0, 2.5, 0.5, 1.5], device="cpu")
FLAT = ROW / 8  # every token has a share of 9% to 15%
CLOSE = 1 + ROW / 2**17 * (ROW < 3) + 2 * (ROW == 3)  # all but the best are 0.000004 apart, and equal in 16 bits
LARGE = torch.zeros(60_000, device="cpu")  # where a little for each is a lot for all
LARGE[[50_000, 7]] = torch.tensor([2.0, 1.0], device="cpu")
WIDE = torch.arange(104, device="cpu") * 37 % 104 / 1024  # 104 tokens, each with a share of 0.9% to 1.0%
THREE_ROWS = torch.stack([ROW, ROW.roll(1), ROW.flip(0)])
DRAWN = SamplingParams(temperature=1.0)
ONCE = "Divide the logits by the temperature, once, before softmax."
NO_NUMBER = "token 2 is ruled out: -inf lies below every number, also where all are negative. Put none in its place."


def test_each_row_gets_one_id(step: ModuleType) -> None:
    """Logits of shape (batch, vocab) give ids of shape (batch, 1), int64, greedy or drawn.

    Hint: Print shape and dtype of what you return, for one row and for three. Which line loses a dimension, or makes a
    number of a tensor?
    """
    for logits in (ROW[None], THREE_ROWS):
        for params in (SamplingParams(), DRAWN):
            sample(step, logits, params)


def test_temperature_0_takes_the_best_token(step: ModuleType) -> None:
    """A temperature of 0 or below takes the best token of each row.

    Hint: Along which dimension do you look for the best: does each row find its own? And which of 0.0, -0.0, the int 0
    and -1.0 get to that line?
    """
    for temperature in (0.0, -0.0, 0, -1.0):
        for top_k in (-1, 3):
            params = SamplingParams(temperature=temperature, top_k=top_k)
            expect_best(step, THREE_ROWS, params, "a temperature of 0 or below is argmax, along the last dimension.")
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


def test_temperature_0_is_greedy_whatever_top_p_says(step: ModuleType) -> None:
    """A temperature of 0 takes the best token also with top_p below 1.

    Hint: Print `SamplingParams(temperature=0.0, top_p=0.9).is_greedy`. By what would your code divide next?
    """
    why = "`params.is_greedy` is False here, and yet the temperature is 0: ask the temperature before you divide by it."
    expect_best(step, THREE_ROWS, SamplingParams(temperature=0.0, top_p=0.9), why)


def test_top_k_1_takes_the_best_token(step: ModuleType) -> None:
    """With top_k 1 the best token is the only one left, at any temperature.

    Hint: Follow a `top_k` of 1 through your filter, on a row of your own whose two best scores are equal. How many
    tokens are left, and are they the best ones?
    """
    wanted, places = THREE_ROWS.argmax(-1).tolist(), THREE_ROWS.argsort(-1, descending=True)
    why = "top_k 1 leaves one token, the best, whatever the temperature: `<` drops the others, `<=` drops it too."
    for temperature in (0.7, 2.0):
        params = SamplingParams(temperature=temperature, top_k=1)
        tried, call = (sample(step, THREE_ROWS, params) for _ in range(8)), call_text(THREE_ROWS, params)
        got = next((ids for ids in tried if ids != wanted), wanted)
        if got != wanted:
            why = slip_of_one_candidate(step, ROW, params) or why
        expect(why != LEFT_OVER, call=call, got=got, wanted=wanted, why=why, varies=True)
        expect(got != [0, 0, 0], call=call, got=got, wanted=wanted, why=PLACES)
        expect(got != (places == 0).int().argmax(-1).tolist(), call=call, got=got, wanted=wanted, why=NO_RANKS)
        expect_best(step, THREE_ROWS, params, why)
    params = SamplingParams(temperature=1.0, top_k=1, top_p=0.9)
    why = "`params.is_greedy` is False here, and yet a top_k of 1 leaves only the best token: ask `top_k` itself."
    expect_best(step, THREE_ROWS, params, why)
    params = replace(params, top_p=1.0)
    ties = torch.tensor([[-3.0, -1.0, -torch.inf, -1.0]], device="cpu")
    got = sample(step, ties, params)[0]
    why = NO_NUMBER if got == 2 else "of equally good ones either."
    expect(got in (1, 3), call=call_text(ties, params), got=got, wanted="1 or 3", why=why)


def test_successive_draws_differ(step: ModuleType) -> None:
    """Above temperature 0 the same logits give different tokens, call after call.

    Hint: Which line of yours holds the chance? Call the function twice by hand: what gives both calls the same answer?
    """
    drawn = [sample(step, FLAT[None], DRAWN)[0] for _ in range(64)]  # all equal: odds below 0.15**63
    why, is_best = "above temperature 0 the token is drawn (`torch.multinomial`), not the best one taken.", True
    if set(drawn) == {0} and all(sample(step, FLAT.roll(turn)[None], DRAWN) == [0] for turn in range(8)):
        why = "it is the first one whatever the logits are, so nothing is drawn. Are the scores NaN (the log of a "
        why += "negative number)? The argmax of NaN is its first place."
    elif drawn[0] != FLAT.argmax() or len(set(sample(step, FLAT.repeat(64, 1), DRAWN))) > 1:
        seeds, is_best = "make a generator", False
        if seeds_the_world(step, FLAT, DRAWN):
            seeds = "call torch.manual_seed, which is for the whole program,"
        why = f"the random numbers start again at each call: do not {seeds} inside the sampler."
    call, got = f"{call_text(FLAT, DRAWN)}, 64 times", f"token {drawn[0]}{', the best,' * is_best} every time"
    expect(len(set(drawn)) > 1, call=call, got=got, wanted="different tokens", why=why, varies=not is_best)


def test_rows_do_not_share_a_draw(step: ModuleType) -> None:
    """Equal rows of a batch are drawn one by one.

    Hint: How many random numbers does one call use for three rows? Look for an `expand`, a `[0]`, or a single draw that
    is handed to every row.
    """
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


def test_draws_follow_the_softmax(step: ModuleType) -> None:
    """At temperature 1 each token comes as often as its softmax probability says.

    Hint: Work out the softmax of [1, 3, 0] by hand, and compare it with what you hand to the draw. Does it sum to 1,
    and what has been done to it on the way?
    """
    expect_frequencies(step, ROW, DRAWN, "Draw in proportion to softmax(logits), taken once.")
    why = "A token with 99.2% is drawn as often as that and no more: there is no threshold from which on it is taken, "
    why += "and none below which the others, 0.1% each, are dropped (min_p was not asked for)."
    expect_frequencies(step, 6.8 * torch.eye(8, device="cpu")[5], DRAWN, why)


def test_each_row_is_drawn_from_its_own_logits(step: ModuleType) -> None:
    """Each row is drawn from its own logits.

    Hint: Print your probabilities for two rows of three logits. Which of them sum to 1, the rows or the columns?
    """
    peaks = torch.tensor([[5], [0], [7], [3]], device="cpu")
    heights = torch.tensor([[0.0], [80.0], [20.0], [-80.0]], device="cpu")
    logits = torch.full((4, 8), -120.0, device="cpu").scatter(1, peaks, heights)  # another: odds below 64 * 7 * e**-40
    why = "each row has one likely token: softmax works along the last dimension (dim=-1), and what is taken off "
    why += "before exp() is the largest logit of that row, not of the batch."
    expect_best(step, logits, DRAWN, why)
    many = logits[[at % 7 % 4 for at in range(131)]]
    pairs = zip(sample(step, many, DRAWN), many.argmax(-1).tolist(), strict=True)
    wrong, got, wanted = next(((at, *pair) for at, pair in enumerate(pairs) if pair[0] != pair[1]), (0, 0, 0))
    why = f"row {wrong} of 131 draws by other logits than its own: a batch may have any number of rows."
    expect(got == wanted, call=f"{call_text(many, DRAWN)}[{wrong}]", got=got, wanted=wanted, why=why)


def test_only_the_k_best_are_drawn(step: ModuleType) -> None:
    """Only the k best tokens are ever drawn.

    Hint: Print the probabilities just before the draw, for five logits and a `top_k` of 2. How many are exactly 0, and
    which? What score must a token have for that?
    """
    for k in (3, 2, 7):
        expect_only_best(step, FLAT.roll(1), k)  # whose last token is none of the next best
    expect_only_best(step, CLOSE, 3, why="these scores are close, not equal: look for the k-th best unrounded.")
    why = "a little was added to every probability, the threshold is too low, or nothing was removed: what is not "
    why += "among the k best has odds of 0."
    expect_only_best(step, LARGE, 2, times=16, why=why)


def test_each_of_the_k_best_is_drawn(step: ModuleType) -> None:
    """Each of the k best tokens is drawn now and then.

    Hint: How many tokens are left after your filter for a `top_k` of 3? Hold the k-th best score itself against your
    comparison: does it stay?
    """
    for k in (3, 2, 7):
        expect_each_of_best(step, FLAT, k)


def test_ties_at_the_kth_value_do_no_harm(step: ModuleType) -> None:
    """Of tokens tied at the k-th value all stay, or enough to make k; better ones are drawn, worse ones never.

    Hint: Take [2, 1, 1, 1, 0] and a `top_k` of 2, on paper. Which tokens equal the k-th best value, and what does your
    filter do to each of the five?
    """
    row = torch.tensor([0.0, 2.0, 1.0, 1.0, 1.0, 0.0, -1.0, 0.0], device="cpu")
    for params in (SamplingParams(temperature=1.0, top_k=2), SamplingParams(temperature=0.5, top_k=3)):
        drawn = set(draw(step, row, params))
        is_right = drawn <= {1, 2, 3, 4} and 1 in drawn and len(drawn) > 1  # always or never token 1: 0.8**4096
        why = "tokens 2, 3 and 4 are tied at the k-th value: drop what is below it (`<`), not what equals it."
        if drawn >= {0, 1, 5}:
            why = "equal scores count one by one: the k-th best is at the k-th place, and not the k-th different value."
        got = f"drawn: {sorted(drawn)}"
        expect(is_right, call=call_text(row, params), got=got, wanted="token 1, and some or all of 2, 3, 4", why=why)


def test_each_row_keeps_its_own_k_best(step: ModuleType) -> None:
    """Each row of a batch keeps its own k best.

    Hint: What is the shape of your threshold for a batch of three rows? Could every row find its own in it?
    """
    rows = THREE_ROWS + torch.tensor([[0.0], [40.0], [-2.0]], device="cpu")
    params, wanted = SamplingParams(temperature=1.0, top_k=2), [{1, 5}, {2, 6}, {6, 2}]
    why = "the k-th best value is another one in each row: keep its dimension, (batch, 1), and compare row by row."
    drawn = [set(column) for column in zip(*(sample(step, rows, params, why=why) for _ in range(64)), strict=True)]
    is_right = all(tokens <= best for tokens, best in zip(drawn, wanted, strict=True))
    if drawn[0] <= wanted[0] and len(drawn[1]) > 2:
        why = f"every row is measured by the first one's threshold: {why}"
    elif drawn[0] & {3, 7}:  # 2.0 and 1.5, which no row has among its best
        why = f"every row is measured by the lowest threshold of all: {why}"
    elif not drawn[0] <= wanted[0]:
        why = f"a value stays that is among the best of another row: {why}"
    got, wanted = f"drawn: {drawn}", f"only {wanted}"
    expect(is_right, call=call_text(rows, params), got=got, wanted=wanted, why=why, varies=True)
    ruled_out = ROW.masked_fill(ROW < 2.5, -torch.inf)  # two are left
    rows, params = torch.stack([ruled_out, *[FLAT] * 256, ruled_out]), SamplingParams(temperature=1.0, top_k=4)
    drawn = set(sample(step, rows, params, why=why)[1:-1])  # to miss one: odds below 4 * 0.8**256
    why = "another row has only two tokens that are not -inf, and that is its own affair: here the k best stay."
    got, wanted = f"rows 1 to 256 drew {sorted(drawn)}", "each of 1, 3, 5, 7"
    expect(drawn == {1, 3, 5, 7}, call=call_text(rows, params), got=got, wanted=wanted, why=why)


def test_a_high_temperature_flattens(step: ModuleType) -> None:
    """A temperature of 2, or of 5, evens the odds out: logits are divided by it, once.

    Hint: Are scores of 3.0 and 1.0 further apart at a temperature of 2, or closer? Follow the temperature through your
    code: where is it used, and how often?
    """
    expect_frequencies(step, ROW, SamplingParams(temperature=2.0), ONCE)
    why = f"{ONCE} There is no highest temperature."
    expect_frequencies(step, ROW, SamplingParams(temperature=5.0), why)


def test_a_low_temperature_sharpens(step: ModuleType) -> None:
    """A temperature of 0.5 favours the best tokens: logits are divided by it, once.

    Hint: On what does your temperature act: on scores, or on probabilities? Try both on [2.0, 1.0] at 0.5, and see
    which one is softmax of [4.0, 2.0].
    """
    expect_frequencies(step, ROW, SamplingParams(temperature=0.5), ONCE)


def test_a_very_low_temperature_still_divides(step: ModuleType) -> None:
    """A temperature of 0.05, or of 0.0005, is a number like any other: close logits still share the draws.

    Hint: Is there a second threshold in your code, such as 0.1 or 1e-2, or a `max`? What happens to a temperature just
    below it?
    """
    why = f"{ONCE} Only 0 and below is greedy."
    for temperature in (0.05, 0.03, 0.005, 0.0005):
        expect_frequencies(step, ROW * temperature, SamplingParams(temperature=temperature), why)


def test_the_k_best_share_the_draws_by_temperature(step: ModuleType) -> None:
    """Among the k best the odds are those of softmax at that temperature.

    Hint: Print the scores of five tokens before and after each line, at temperature 0.5 and with a `top_k` of 3. After
    which one are the odds among the three no longer right?
    """
    for temperature in (0.5, 1.0, 1.75):
        expect_frequencies(step, ROW, SamplingParams(temperature=temperature, top_k=4), f"{ONCE} Also with top_k.")


def test_top_k_off_keeps_every_token(step: ModuleType) -> None:
    """A top_k of 0 or below keeps every token.

    Hint: What does `torch.topk` say to a k of 0, and of -1? Which condition stands before your filter, and what does it
    say?
    """
    for row, top_k in ((FLAT, -1), (FLAT, 0), (FLAT, -7), (WIDE, -1), (WIDE, 0)):
        expect_each_of_best(step, row, top_k)


def test_half_precision_logits_are_drawn_as_well(step: ModuleType) -> None:
    """float16 and bfloat16 logits give the same odds, as near as these types can tell.

    Hint: Print the dtype after each line, for float16 logits. How many digits does such a number have, and which
    operation needs more?
    """
    for dtype in (torch.float16, torch.bfloat16):  # fewer draws: arithmetic in these types may be off by a percent
        for params in (SamplingParams(temperature=1.0), SamplingParams(temperature=0.5, top_k=4)):
            expect_frequencies(step, ROW.to(dtype), params, f"The logits are {dtype}. {ONCE}", draws=1024)


def test_each_of_many_tokens_can_be_drawn(step: ModuleType) -> None:
    """Of 2560 equally likely tokens each can be drawn, and of 32,767 unlikely ones too, however small its share.

    Hint: What happens on the way to a probability of 0.0004, or of 0.000004: is it rounded, or taken for nothing? And
    how many different values can your random number have?
    """
    why = "small odds are odds: drop no token for its small share, and round none."
    row = torch.zeros(2560, dtype=torch.bfloat16, device="cpu")
    different = len(set(draw(step, row, DRAWN, times=512, why=why)))
    if different > 1:
        why += " Draw with float32 random numbers at least: 16 bits, or three digits, have too few values for so many "
        why += "tokens, and so have sums of 16 bits. Make float32 of such logits first."
    got, wanted = f"{different} different tokens", "about 464 different ones"  # below 420: odds of 6e-12, worked out
    expect(different >= 420, call=f"{call_text(row, DRAWN)}, 512 times", got=got, wanted=wanted, why=why, varies=True)
    why = "small odds are odds, and top_k is off: drop no token, round none, set no limit, and draw with float32 "
    why += "random numbers at least, whatever the logits are."
    expect_much_of_many(step, -1, why, torch.float16)


def test_top_k_keeps_50_of_104(step: ModuleType) -> None:
    """A top_k of 50 keeps exactly 50 of 104 tokens, and one of 16,384 as many.

    Hint: Count what is left after your filter. Has a number of your own got in where `params.top_k` belongs?
    """
    expect_only_best(step, WIDE, 50)
    expect_each_of_best(step, WIDE, 50)
    expect_much_of_many(step, 16_384, "top_k alone says how many stay: set no limit of your own.")


def test_top_k_of_the_vocabulary_and_beyond_keeps_every_token(step: ModuleType) -> None:
    """A top_k as large as the vocabulary, or larger, keeps every token.

    Hint: What does `torch.topk` say to a k that is larger than the number of scores? What is there to remove in that
    case?
    """
    for row, top_k in ((FLAT, 8), (FLAT, 9), (WIDE, 104), (WIDE, 100_000)):
        expect_each_of_best(step, row, top_k)


def test_rows_are_independent(step: ModuleType) -> None:
    """What one row draws tells nothing of what the next one draws.

    Hint: Write down which random number decides which row. Is one used twice, or does the draw of one row leave
    something out for the next?
    """
    row = torch.tensor([0.5, 0.0, 1.0, 0.75], device="cpu")
    why = "draw for each row apart from the others: one row's token neither repeats nor rules out the next one's."
    expect_independent_rows(step, row, DRAWN, why)


def test_a_common_offset_changes_nothing(step: ModuleType) -> None:
    """Logits around 10,000 or -10,000 give the same odds as logits around 0.

    Hint: What is `math.exp(10_000)`? If you work out the softmax yourself: what do 10,001 and 10,000 have that 1 and 0
    have not?
    """
    why = "only differences count: softmax() takes the largest off first, where exp() by itself overflows."
    for offset in (10_000.0, -10_000.0):
        for top_k in (-1, 4):
            expect_frequencies(step, ROW + offset, SamplingParams(temperature=1.0, top_k=top_k), why)
    rows = 40.0 * torch.eye(3, 8, device="cpu") + torch.tensor([[0.0], [10_000.0], [-10_000.0]], device="cpu")
    apart = "rows may lie far apart: what is taken off before exp() is the largest logit of each row, not of the batch."
    expect_best(step, rows, DRAWN, apart)  # another token: odds below 48 * 7 * e**-40
    why = "Logits of -10,000 at a temperature of 0.05 are scores of -200,000: only -inf lies below every score. "
    why += "And what has odds of 0 stays there: add nothing to the probabilities."
    expect_frequencies(step, ROW - 10_000, SamplingParams(temperature=0.05, top_k=4), why)


def test_steep_logits_give_the_best_token(step: ModuleType) -> None:
    """Logits hundreds apart leave no doubt, and no NaN: the best token is drawn.

    Hint: Put [1000.0, 3000.0] through your code line by line. Where does the first inf or NaN turn up?
    """
    steep, large = 1000 * ROW, 100 * LARGE
    for row, temperature, times in ((steep, 0.05, 64), (steep, 1.0, 64), (steep, 5.0, 4096), (large, 1.0, 16)):
        params = SamplingParams(temperature=temperature)
        why, best = "the best token's probability is 1, all others' together below e**-80.", int(row.argmax())
        drawn = sorted(set(draw(step, row, params, times=times, why=why)))
        call, got, wanted = call_text(row, params), f"drawn: {drawn}", f"drawn: only token {best}"
        if len(drawn) > 1:
            why += " Yet others are drawn now and then: add nothing to the probabilities, and do not lift low "
            why += "scores to a least one (clamp)."
        expect(drawn == [best], call=call, got=got, wanted=wanted, why=why, varies=True)


def test_a_token_at_minus_infinity_is_never_drawn(step: ModuleType) -> None:
    """A logit of -inf rules its token out, and leaves the others their odds.

    Hint: Put one -inf among five logits, and print the scores after each line. Where does NaN come in, or another token
    get lost with it?
    """
    row = ROW.clone()
    row[[5, 0]] = -torch.inf
    why = "e**-inf is 0: -inf takes part like any other logit. 0 * inf and inf - inf are NaN."
    for temperature, top_k in ((0.5, -1), (0.5, 2), (0.5, 7), (2.0, 7)):
        expect_frequencies(step, row, SamplingParams(temperature=temperature, top_k=top_k), why)
    why = f"{why} And no number stands for it: other logits may lie as low."
    expect_frequencies(step, row - 10_000, SamplingParams(temperature=0.5), why)


def test_the_logits_stay_as_they_were(step: ModuleType) -> None:
    """The caller's logits are not changed.

    Hint: Print the logits after each line: after which one are they others? Mind that `.float()` copies float16, and
    hands float32 back as it is.
    """
    why = "the logits belong to the caller: `/=`, `masked_fill_` and `logits[…] = …` write into them."
    some_ruled_out = THREE_ROWS.masked_fill(THREE_ROWS == 0.5, -torch.inf)
    settings = ((), (0.0, 3), (1.0, 1), (1.0,), (0.5,), (1.0, 3), (0.5, 3), (1.0, -1, 0.8), (2.0, 3, 0.8))
    for params, rows in product((SamplingParams(*setting) for setting in settings), (THREE_ROWS, some_ruled_out)):
        for dtype in (torch.float32, torch.float16):
            logits = rows.to(dtype, copy=True)
            step.sample_next_token(logits, params)
            is_same = torch.equal(logits, rows.to(dtype))
            if params.temperature == 1 and not is_same:
                step.sample_next_token(divided := rows.clone(), replace(params, temperature=0.5))
                if torch.equal(divided, rows):
                    why += " At temperature 1 nothing need be divided, so your tensor is still the caller's own."
            call = call_text(rows, params)
            expect(is_same, call=call, got=f"now {logits.tolist()}", wanted="as they were", why=why)


def test_nothing_is_kept_from_the_call_before(step: ModuleType) -> None:
    """A draw knows nothing of the draw before it: neither of its token nor of its logits.

    Hint: What does the function write to that outlives it: a variable of the module, an attribute, a cache? Two calls
    have nothing to tell each other.
    """
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
    logits = torch.tensor([[0.0, 90.0, 0.0]], device="cpu")
    for best in (1, 2):
        logits[:] = torch.nn.functional.one_hot(torch.tensor([best], device="cpu"), 3) * 90.0
        got = int(step.sample_next_token(logits, params))
        why = "the caller has filled the same tensor with new logits: read them at each call, and keep nothing."
        expect(got == best, call=f"{call_text(logits, params)}, the second call with this tensor", got=got,
               wanted=best, why=why)  # fmt: skip
    cut = SamplingParams(temperature=0.7, top_k=2)
    for gap in (50.0, 0.25):
        logits[:] = torch.tensor([-2 * gap, -gap, 0.0], device="cpu")
        drawn = {int(step.sample_next_token(logits, cut)) for _ in range(64)}
        call, wanted = f"{call_text(logits, cut)}, 64 times with this tensor", "only tokens 1 and 2"
        expect(drawn <= {1, 2}, call=call, got=f"drawn: {sorted(drawn)}", wanted=wanted, why=why)


def test_the_params_stay_as_they_were(step: ModuleType) -> None:
    """The caller's params are not changed.

    Hint: Print `params` before and after. Which value have you corrected there, because a later line wants it within
    bounds?
    """
    why = "one params object may serve many requests: keep what you work out in variables of your own."
    for settings in ((0.0, 200, 0.9), (-1.0, 0), (1.5, 200), (0.7, -1), (1.0, 1), (0.005,), (1e-6,), (9.0, 3, 1.5)):
        params, before = SamplingParams(*settings), SamplingParams(*settings)
        sample(step, THREE_ROWS, params)
        step.sample_next_token(THREE_ROWS.clone(), params)
        expect(repr(params) == repr(before), call=call_text(THREE_ROWS, before), got=params, wanted=before, why=why)


def test_temperature_0_draws_nothing(step: ModuleType) -> None:
    """Greedy decoding uses no random numbers.

    Hint: Keep `torch.get_rng_state()` before a greedy call and compare it afterwards. Which line has run although
    nobody needed its result?
    """
    generator = torch.Generator().manual_seed(0)
    before = generator.get_state(), torch.get_rng_state()
    for params in (SamplingParams(), SamplingParams(top_p=0.5), SamplingParams(temperature=-1.0, top_k=3)):
        sample(step, THREE_ROWS, params)
        sample(step, THREE_ROWS, params, generator)
        is_same = torch.equal(generator.get_state(), before[0]) and torch.equal(torch.get_rng_state(), before[1])
        why = "a draw that decides nothing still moves the random numbers of everybody else: return the argmax first."
        expect(is_same, call=call_text(THREE_ROWS, params), got="random state moved", wanted="untouched", why=why)


def test_a_handed_generator_decides(step: ModuleType) -> None:
    """With a generator handed in its seed decides: equal seeds give equal draws, other seeds others.

    Hint: Follow `generator` from the argument to the line that draws. Does it get there?
    """
    once, again, other = (draws_with(step, FLAT, DRAWN, torch.Generator().manual_seed(seed)) for seed in (5, 5, 6))
    call = f"{call_text(FLAT, DRAWN, 'generator')}, 64 times"
    why = "hand the generator on to what draws, as in `torch.multinomial(…, generator=generator)`."
    if once != again and is_repeated_by_the_global_seed(step, FLAT, DRAWN):
        why = f"these draws come from torch's global random numbers: {why}"
    got, wanted = f"{once[:6]}, {again[:6]}", "the same from seed 5 twice"
    expect(once == again, call=call, got=got, wanted=wanted, why=why, varies=True)
    expect(once != other, call=call, got="the same from seeds 5 and 6", wanted="others", why=why)  # odds 0.15**64


def test_a_handed_generator_moves_on(step: ModuleType) -> None:
    """Successive draws from one generator differ: it is used as it is, neither copied nor seeded again.

    Hint: Draw twice with one generator. Which line puts it back to its start: is it seeded, copied, or made anew?
    """
    drawn = draws_with(step, FLAT, DRAWN, torch.Generator().manual_seed(5))  # all equal: odds below 0.15**63
    call, got = f"{call_text(FLAT, DRAWN, 'generator')}, 64 times", f"token {drawn[0]} every time"
    why = "each call starts its random numbers again: draw from the generator itself, so that it moves on."
    expect(len(set(drawn)) > 1, call=call, got=got, wanted="different tokens", why=why, varies=True)


def test_with_a_generator_the_global_random_state_is_untouched(step: ModuleType) -> None:
    """With a generator handed in the global random numbers are neither used nor seeded.

    Hint: Which functions that you call draw random numbers, and does each of them get the generator? Those of numpy and
    `random` cannot.
    """
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


def test_without_a_generator_the_global_seed_decides(step: ModuleType) -> None:
    """Without a generator `torch.manual_seed` makes the draws repeatable.

    Hint: With no generator handed in, what do your draws start from? Does whatever you made yourself listen to
    `torch.manual_seed`?
    """
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


def test_the_result_is_on_the_device_of_the_logits(step: ModuleType) -> None:
    """The ids are on the device of the logits, and so is every tensor on the way.

    Hint: Which tensors does your code make out of nothing (`tensor`, `zeros`, `arange`, `full`)? On which device is
    each of them born?
    """
    why = "a tensor made on the way, or the result, is on the CPU: make it with `device=logits.device`."
    for params in (SamplingParams(), SamplingParams(temperature=0.7, top_k=3)):
        call = f"{call_text(THREE_ROWS, params)}, logits on another device than the CPU"
        got: object = DEVICE  # also where the pretended device is too poor for a right solution: no verdict then
        try:
            with elsewhere(), suppress(AttributeError):
                got = step.sample_next_token(send(THREE_ROWS), params).device
        except Exception as error:
            if is_not_started(error):
                raise
            if isinstance(error, MixedDevices):  # raised from it, so that the report shows the solution's line
                raise CheckFailure(call=call, got=error, wanted="ids on that device", why=why) from error
        expect(str(got) == str(DEVICE), call=call, got=got, wanted="ids on that device", why=why)


@pytest.mark.stretch
def test_top_p_keeps_the_smallest_set_that_reaches_it(step: ModuleType) -> None:
    """top_p keeps the best tokens until their probabilities reach it, the one that crosses it included.

    Hint: Sort five probabilities and write the running sums under them. At which token does the sum reach `top_p`, and
    what does your comparison do to that one?
    """
    why = "sort, add up, and drop a token only where the sum *before* it has already reached top_p."
    for top_p, kept in ((0.3, 1), (0.5, 2), (0.75, 3), (0.9, 5), (0.96, 6), (1.0, 8)):  # sums: 40 65 80 89 94 97 99%
        expect_nucleus(step, ROW, SamplingParams(temperature=1.0, top_p=top_p), kept, why)
    low = "a removed score becomes -inf, and no number: other logits may lie as low."
    expect_nucleus(step, ROW - 10_000, SamplingParams(temperature=1.0, top_p=0.5), 2, low)
    expect_wide_nucleus(step)
    equal, params = torch.zeros(4, device="cpu"), SamplingParams(temperature=1.0, top_p=0.6)
    drawn = set(draw(step, equal, params))
    why = "three of four equal tokens reach 0.6: cut by place, for a threshold keeps all that equal the last one."
    got = f"{len(drawn)} different tokens"
    expect(len(drawn) == 3, call=call_text(equal, params), got=got, wanted="3 different ones", why=why)


@pytest.mark.stretch
def test_top_p_keeps_at_least_one_token(step: ModuleType) -> None:
    """However small top_p is, the best token stays.

    Hint: What is left after your filter where the best token alone has more than `top_p`? Which token may never go?
    """
    for top_p in (0.01, 1e-9, 0.0, -1.0):
        why = "the first of the sorted tokens is never dropped, and only from 1 on is top_p off."
        expect_nucleus(step, ROW, SamplingParams(temperature=1.0, top_p=top_p), 1, why)


@pytest.mark.stretch
def test_top_p_comes_after_temperature_and_top_k(step: ModuleType) -> None:
    """top_p looks at the probabilities that temperature and top_k have left.

    Hint: Whose probabilities do you add up: those of all logits as they came, or those of the scores as they are by
    then?
    """
    why = "scale by the temperature, then apply top_k, and take softmax of what is left before top_p adds up."
    expect_nucleus(step, ROW, SamplingParams(temperature=2.0, top_p=0.78), 5, why)  # 74, 83%; at temperature 1: 3
    expect_nucleus(step, ROW, SamplingParams(temperature=0.5, top_p=0.6), 1, why)  # 63%
    expect_nucleus(step, ROW, SamplingParams(temperature=1.0, top_k=2, top_p=0.6), 1, why)  # 62%; without top_k: 2


@pytest.mark.stretch
def test_top_p_is_applied_row_by_row(step: ModuleType) -> None:
    """Each row has a nucleus of its own.

    Hint: After a sort the columns are ranks, and no longer ids. What takes your mask back, in each row by that row's
    own order?
    """
    rows, params = torch.stack([ROW, -ROW, ROW.roll(3)]), SamplingParams(temperature=1.0, top_p=0.45)
    why = "sort, sum and mask along the last dimension, and put the mask back into the order of the ids, row by row."
    drawn = [set(column) for column in zip(*(sample(step, rows, params, why=why) for _ in range(128)), strict=True)]
    wanted = [{1, 5}, {4}, {4, 0}]  # missing one: odds below 5 * 0.63**128 < 1e-24
    expect(drawn == wanted, call=call_text(rows, params), got=f"drawn: {drawn}", wanted=f"drawn: {wanted}", why=why)


@pytest.mark.stretch
def test_a_tiny_temperature_stays_finite(step: ModuleType) -> None:
    """A temperature of 1e-4, and any below it, gives the best token, in 16 bits too, where 0.05 is no trouble either.

    Hint: What is 3.0 / 1e-45 in float32, and 0.0 / 1e-45? Softmax does not mind a common offset: could you choose one
    before you divide?
    """
    why = "the quotient overflows, and inf - inf is NaN: compute in float32, on logits less the row's largest, "
    why += "and divide by no less than 1e-30, say: the smallest temperatures are 0 in float32."
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for temperature in (1e-4, 1e-6, 1e-8, 1e-30, 1e-45, 5e-324):
            for logits in (THREE_ROWS, THREE_ROWS + 40, THREE_ROWS - 40):
                expect_best(step, logits.to(dtype), SamplingParams(temperature=temperature, top_k=5), why, times=4)
    close = torch.tensor([[-5.000001, -5.0, -torch.inf, -5.0004]], device="cpu")
    why = "these are close, and one is the best: round nothing, and do not raise such a temperature to 1e-4, say, "
    why += "where they would share the draws."
    expect_best(step, close, SamplingParams(temperature=1e-10), why)
    high = torch.tensor([0.0, 10_000.0, 9_992.0, 10_000.0], dtype=torch.float16, device="cpu")
    why = "10,000 / 0.05 is more than float16 can hold: make float32 of the logits before you divide."
    expect_frequencies(step, high, SamplingParams(temperature=0.05), why, draws=1024)


@pytest.mark.stretch
def test_a_row_without_a_distribution_is_an_error(step: ModuleType) -> None:
    """Drawing from a row with NaN, with +inf, or with nothing but -inf is a ValueError that names the row.

    Hint: Which of `isnan`, `isinf` and `isfinite` sees each of the three cases, and on which one number of a row could
    you ask it? Then: which row was it?
    """
    for tokens, value in (([3], torch.nan), ([3], torch.inf), (list(range(8)), -torch.inf)):
        for dtype in (torch.float32, torch.bfloat16):
            logits = ROW.repeat(40, 1).to(dtype)
            logits[37, tokens] = value
            for params in (DRAWN, SamplingParams(temperature=0.75, top_k=3)):
                expect_row_named(step, logits, params, row=37)


@pytest.mark.gpu
def test_sampling_on_cuda_stays_there(step: ModuleType) -> None:
    """On CUDA the ids are int64 on that device, and a handed CUDA generator decides."""
    logits, wanted = FLAT.repeat(64, 1).cuda(), "int64 ids (64, 1) on the logits' device, by the generator's seed alone"
    for params in (SamplingParams(), SamplingParams(temperature=0.75, top_k=6, top_p=0.99)):
        before = torch.cuda.get_rng_state()
        ids = [step.sample_next_token(logits, params, torch.Generator("cuda").manual_seed(seed)) for seed in (5, 5, 6)]
        is_right = all((x.device, x.dtype, x.shape) == (logits.device, torch.int64, (64, 1)) for x in ids)
        is_right = is_right and torch.equal(ids[0], ids[1]) and torch.equal(torch.cuda.get_rng_state(), before)
        is_right = is_right and torch.equal(ids[0], ids[2]) is (params.temperature <= 0)
        why = "compute on the logits' device, and draw with the generator that was handed in."
        expect(is_right, call=call_text(logits, params, "generator"), got=ids, wanted=wanted, why=why)


@pytest.mark.real
@pytest.mark.timeout(600)
def test_smollm2s_logits_are_drawn_as_they_say(step: ModuleType) -> None:
    """On SmolLM2's logits each token comes as often as softmax says, only the k best, each row for itself."""
    from tests.doubles import real_verdicts

    real_verdicts.draws_as_the_logits_say(step)
