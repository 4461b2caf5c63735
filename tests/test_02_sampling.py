"""Checks of step 2: which token is taken, and how often. No model, no tokenizer, no transformers.

Every false alarm has odds below 1e-9: stated beside the draws that they are about, mostly in `doubles/sampling_….py`.
"""

from itertools import product
from types import ModuleType

import pytest
import torch

from shared.sampling_params import SamplingParams
from tests.doubles import (
    sampling_best,
    sampling_chance,
    sampling_manners,
    sampling_odds,
    sampling_top_k,
    sampling_top_p,
)
from tests.doubles.draws import sample
from tests.doubles.logits import CLOSE, DRAWN, FLAT, LARGE, ROW, THREE_ROWS, WIDE
from tests.doubles.sampling_best import expect_best, expect_only
from tests.doubles.sampling_manners import expect_row_named
from tests.doubles.sampling_odds import expect_frequencies, expect_independent_rows
from tests.doubles.sampling_top_k import expect_each_of_best, expect_much_of_many, expect_only_best, expect_tied
from tests.doubles.sampling_top_p import expect_nucleus, expect_wide_nucleus

ONCE = "Divide the logits by the temperature, once, before softmax."


# What comes back, and where no chance is left


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
    for temperature, top_k in product((0.0, -0.0, 0, -1.0), (-1, 3)):
        params = SamplingParams(temperature=temperature, top_k=top_k)
        expect_best(step, THREE_ROWS, params, "a temperature of 0 or below is argmax, along the last dimension.")
    sampling_best.tells_close_scores_apart(step)


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
    sampling_top_k.leaves_one_candidate(step)
    why = "`params.is_greedy` is False here, and yet a top_k of 1 leaves only the best token: ask `top_k` itself."
    expect_best(step, THREE_ROWS, SamplingParams(temperature=1.0, top_k=1, top_p=0.9), why)
    sampling_best.takes_either_of_two_best(step)


# The draw


def test_successive_draws_differ(step: ModuleType) -> None:
    """Above temperature 0 the same logits give different tokens, call after call.

    Hint: Which line of yours holds the chance? Call the function twice by hand: what gives both calls the same answer?
    """
    sampling_chance.differs_from_call_to_call(step)


def test_rows_do_not_share_a_draw(step: ModuleType) -> None:
    """Equal rows of a batch are drawn one by one.

    Hint: How many random numbers does one call use for three rows? Look for an `expand`, a `[0]`, or a single draw that
    is handed to every row.
    """
    sampling_chance.differs_from_row_to_row(step)


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
    sampling_best.draws_each_row_by_its_own_logits(step)


# top_k


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
    for params in (SamplingParams(temperature=1.0, top_k=2), SamplingParams(temperature=0.5, top_k=3)):
        expect_tied(step, params)


def test_each_row_keeps_its_own_k_best(step: ModuleType) -> None:
    """Each row of a batch keeps its own k best.

    Hint: What is the shape of your threshold for a batch of three rows? Could every row find its own in it?
    """
    sampling_top_k.keeps_each_rows_own(step)


# The temperature


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


# All tokens, many tokens, many rows, and numbers of 16 bits


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
    sampling_odds.draws_many_different(step)
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


# Logits far from 0


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
        expect_only(step, row, SamplingParams(temperature=temperature), times)


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


# What belongs to the caller, or to another call


def test_the_logits_stay_as_they_were(step: ModuleType) -> None:
    """The caller's logits are not changed.

    Hint: Print the logits after each line: after which one are they others? Mind that `.float()` copies float16, and
    hands float32 back as it is.
    """
    sampling_manners.leaves_the_logits_alone(step)


def test_nothing_is_kept_from_the_call_before(step: ModuleType) -> None:
    """A draw knows nothing of the draw before it: neither of its token nor of its logits.

    Hint: What does the function write to that outlives it: a variable of the module, an attribute, a cache? Two calls
    have nothing to tell each other.
    """
    sampling_chance.repeats_as_often_as_chance_does(step)
    sampling_manners.reads_the_logits_anew(step)


def test_the_params_stay_as_they_were(step: ModuleType) -> None:
    """The caller's params are not changed.

    Hint: Print `params` before and after. Which value have you corrected there, because a later line wants it within
    bounds?
    """
    sampling_manners.leaves_the_params_alone(step)


# Whose random numbers, and which device


def test_temperature_0_draws_nothing(step: ModuleType) -> None:
    """Greedy decoding uses no random numbers.

    Hint: Keep `torch.get_rng_state()` before a greedy call and compare it afterwards. Which line has run although
    nobody needed its result?
    """
    sampling_chance.draws_nothing_when_greedy(step)


def test_a_handed_generator_decides(step: ModuleType) -> None:
    """With a generator handed in its seed decides: equal seeds give equal draws, other seeds others.

    Hint: Follow `generator` from the argument to the line that draws. Does it get there?
    """
    sampling_chance.follows_the_generators_seed(step)


def test_a_handed_generator_moves_on(step: ModuleType) -> None:
    """Successive draws from one generator differ: it is used as it is, neither copied nor seeded again.

    Hint: Draw twice with one generator. Which line puts it back to its start: is it seeded, copied, or made anew?
    """
    sampling_chance.moves_the_generator_on(step)


def test_with_a_generator_the_global_random_state_is_untouched(step: ModuleType) -> None:
    """With a generator handed in the global random numbers are neither used nor seeded.

    Hint: Which functions that you call draw random numbers, and does each of them get the generator? Those of numpy and
    `random` cannot.
    """
    sampling_chance.leaves_the_global_state_alone(step)


def test_without_a_generator_the_global_seed_decides(step: ModuleType) -> None:
    """Without a generator `torch.manual_seed` makes the draws repeatable.

    Hint: With no generator handed in, what do your draws start from? Does whatever you made yourself listen to
    `torch.manual_seed`?
    """
    sampling_chance.follows_the_global_seed(step)


def test_the_result_is_on_the_device_of_the_logits(step: ModuleType) -> None:
    """The ids are on the device of the logits, and so is every tensor on the way.

    Hint: Which tensors does your code make out of nothing (`tensor`, `zeros`, `arange`, `full`)? On which device is
    each of them born?
    """
    sampling_manners.stays_on_the_device(step)


# Stars


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
    expect_nucleus(step, WIDE, SamplingParams(temperature=1.0, top_p=0.04), 4, why)
    expect_wide_nucleus(step)
    sampling_top_p.cuts_equal_tokens_by_place(step)


@pytest.mark.stretch
def test_top_p_keeps_at_least_one_token(step: ModuleType) -> None:
    """However small top_p is, the best token stays.

    Hint: What is left after your filter where the best token alone has more than `top_p`? Which token may never go?
    """
    for top_p in (0.01, 1e-9, 0.0):
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
    sampling_top_p.cuts_each_row_by_itself(step)


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


# On a GPU, and on a real model


@pytest.mark.gpu
def test_sampling_on_cuda_stays_there(step: ModuleType) -> None:
    """On CUDA the ids are int64 on that device, and a handed CUDA generator decides."""
    sampling_manners.stays_on_cuda(step)


@pytest.mark.real
@pytest.mark.timeout(600)
def test_smollm2s_logits_are_drawn_as_they_say(step: ModuleType) -> None:
    """On SmolLM2's logits each token comes as often as softmax says, only the k best, each row for itself."""
    from tests.doubles import real_verdicts

    real_verdicts.draws_as_the_logits_say(step)
