"""Checks of step 5: readings go in, the figures of a server come out. By hand, on fixed readings; no model, no torch.

Left free: whether the result holds the generation's own list of ids or a copy, and which throughput no time gives, as
long as it is finite and not negative. The figures are judged to what floats allow.
"""

from itertools import product

import pytest

from tests.doubles import envelope_verdicts, percentile_verdicts
from tests.doubles.envelope_verdicts import expect_handed_through, expect_json, expect_left_alone
from tests.doubles.figure_slips import slips_of_the_count, slips_of_throughput, slips_of_tpot
from tests.doubles.readings import (
    READINGS,
    SHARES,
    expect_all_figures,
    expect_figure,
    expect_finite,
    generation,
    result_of,
)
from tests.doubles.texts import UNTOUCHABLE


def test_the_result_is_the_envelope_of_the_contract(step):
    """`summarize` returns a `GenerateResult` that holds `ServingMetrics`.

    Hint: What does your last line return? `GenerateResult` in `shared/result.py` has three fields; of which class is
    the third?
    """
    result_of(step, generation())


# The formulas, on ordinary answers


def test_output_tokens_are_counted_from_the_ids(step):
    """Output tokens are the generated ids, whatever the text looks like.

    Hint: Which field of the generation has exactly one entry for each step that the model made?
    """
    why = (
        "a token is an id: `len(generation.output_ids)`. Words, characters and tokens of the text come out differently."
    )
    for text in ("one two three four five six seven", "", "cat"):
        of = generation(tokens=3, text=text)
        expect_figure(step, of, "output_tokens", 3, why, slips_of_the_count(of))


def test_every_id_counts_zero_repeated_and_stopping_ones_too(step):
    """Ids that are 0, that repeat, and the EOS at the end count as any other.

    Hint: Does your count go through a filter, a set, or an `if token`? Which id is false in an `if`?
    """
    why = "every id cost the model one step. 0 is an id like any other, and so is the EOS that ended the answer."
    for ids in ([0, 9], [0, 0, 5], [4, 4, 4, 4], [9, 0, 257]):
        expect_figure(step, generation(output_ids=ids), "output_tokens", len(ids), why)


def test_throughput_is_output_tokens_by_the_whole_latency(step):
    """Throughput is output tokens per second of the whole request.

    Hint: Ten tokens took 2 s, the first of them came after 1 s. How many tokens a second did this *request* get? Which
    of your variables are in it?
    """
    why = "throughput is output tokens / latency, from the arrival of the request to the last token."
    for tokens, ttft, latency in READINGS:
        of = generation(tokens, ttft, latency)
        expect_figure(step, of, "throughput", tokens / latency, why, slips_of_throughput(of))


def test_ttft_is_handed_on_in_milliseconds(step):
    """TTFT is the reading `ttft_s`, in milliseconds.

    Hint: Is `ttft_s` a moment on the clock, or a length of time? And how many milliseconds are 0.25 s?
    """
    why = "`ttft_s` is already the time from the request to the first token: only the unit changes, 1000 ms a second."
    for tokens, ttft, latency in READINGS:
        expect_figure(step, generation(tokens, ttft, latency), "ttft_ms", 1000 * ttft, why)


def test_tpot_is_the_time_after_the_first_token_by_the_other_tokens(step):
    """TPOT is (latency - TTFT) / (output tokens - 1), in milliseconds.

    Hint: Draw the tokens as posts along a line of time, and the request before the first. Which stretch is the
    decoding, and how many gaps lie in it?
    """
    why = "TPOT is the decode time by the tokens made in it: (latency - TTFT) / (tokens - 1). The first came with TTFT."
    for tokens, ttft, latency in READINGS:
        of, wanted = generation(tokens, ttft, latency), 1000 * (latency - ttft) / (tokens - 1)
        expect_figure(step, of, "tpot_ms", wanted, why, slips_of_tpot(of))


def test_a_short_answer_is_measured_as_well(step):
    """An answer of a millisecond, a microsecond, or a nanosecond has figures like any other.

    Hint: For which latencies does your guard step in: for none at all, or for small ones too? Is there a rounding or an
    epsilon in a formula?
    """
    for scale in (2e-3, 3e-6, 3e-8, 2e-9, 1.23456789e-9):  # a floor at 1e-3 or 1e-6 is no wrong unit
        of = generation(tokens=5, ttft_s=scale / 5, latency_s=scale)
        guard = "guard against no time at all, which is 0: an answer may be quick, and nothing is rounded here."
        expect_figure(step, of, "throughput", 5 / scale, guard, within=0.01)
        expect_figure(step, of, "ttft_ms", 200 * scale, guard)
        expect_figure(step, of, "tpot_ms", 200 * scale, guard)
        why, slips = "it is of the whole request, and only `as_dict()` rounds.", {"TTFT was taken off": 800 * scale}
        expect_figure(step, of, "latency_ms", 1000 * scale, why, slips)


# Few tokens, and readings that are missing or 0


def test_two_tokens_have_one_step_between_them(step):
    """With two tokens TPOT is all the time after the first.

    Hint: Put two tokens into your formula for TPOT by hand. By what is the time divided?
    """
    why = "two tokens, one step between them: (latency - TTFT) / 1."
    expect_figure(step, generation(tokens=2), "tpot_ms", 800.0, why, {"it was divided by all tokens": 400.0})


def test_one_token_has_no_time_per_output_token(step):
    """With one token TPOT is 0.0; throughput and TTFT are as ever.

    Hint: Put one token into each of your formulas. Which one divides by nothing, and which two do not care?
    """
    of = generation(tokens=1, ttft_s=0.4, latency_s=0.5)
    why = "with a single token there is no time between tokens, and no division by zero: 0.0 says `not measured`."
    expect_figure(step, of, "tpot_ms", 0.0, why)
    why = "one token in half a second is two a second: where one formula has no value (one `try` around all of them?), "
    why += "the others still have theirs."
    expect_figure(step, of, "throughput", 2.0, why)
    expect_figure(step, of, "ttft_ms", 400.0, "one token has a time to the first token like any other.")


def test_no_token_gives_zeros(step):
    """Without a token nothing was produced: throughput and TPOT are 0.0, and nothing breaks.

    Hint: And with no token at all: what is n - 1 then, and does your guard for one token catch it?
    """
    for ttft in (None, 0.2):
        of = generation(tokens=0, ttft_s=ttft, latency_s=0.5, text="")
        for name in ("output_tokens", "throughput", "tpot_ms"):
            expect_figure(step, of, name, 0.0, "no tokens, no rate: mind the n - 1 of no tokens, which is -1.")


def test_a_time_to_first_token_of_zero_is_a_reading(step):
    """A `ttft_s` of 0.0 was measured: TPOT is then latency / (tokens - 1).

    Hint: For which two values is `if generation.ttft_s:` false? Do both of them mean that nobody measured?
    """
    of = generation(tokens=5, ttft_s=0.0, latency_s=1.0)
    why = "0.0 is a reading, None is none: ask `ttft_s is None`, not `if ttft_s`, which takes 0.0 for not measured."
    expect_figure(step, of, "tpot_ms", 250.0, why)
    expect_figure(step, of, "ttft_ms", 0.0, why)


def test_an_unmeasured_time_to_first_token_gives_zeros(step):
    """A `ttft_s` of None was not measured: TTFT and TPOT are both 0.0.

    Hint: What do your formulas make of a `ttft_s` of None? Which of the figures need it, and which one does not?
    """
    of = generation(ttft_s=None)
    why = (
        "where prefill and decode were not told apart there is no TTFT and no TPOT: 0.0 is the contract's sign for it."
    )
    for name in ("ttft_ms", "tpot_ms"):
        expect_figure(step, of, name, 0.0, why, {"None was taken for a reading of 0": 275.0})
    expect_figure(step, of, "throughput", 5 / 1.1, "throughput needs no TTFT.")


def test_no_time_gives_a_finite_throughput(step):
    """A latency of 0 divides nothing by zero, and the tokens count as ever.

    Hint: By what does your throughput divide, and what does Python say where the clock has not moved in between? And
    what else does your guard leave out then?
    """
    for tokens, ttft in product((0, 1, 2, 5), (None, 0.0)):
        expect_finite(step, generation(tokens, ttft, 0.0), "a coarse clock can read 0.")
        why = "no time is no reason to forget the tokens: only the division by it needs a guard."
        expect_figure(step, generation(tokens, ttft, 0.0), "output_tokens", tokens, why)


def test_every_figure_is_finite_and_not_negative(step):
    """For any readings 0 <= TTFT <= latency, from a nanosecond to a week, no figure is NaN, infinite or below zero.

    Hint: Try the corners by hand: a latency of 0, a TTFT as long as the latency, a nanosecond, a week, no token, one.
    Which of them gives something odd?
    """
    times = (0.0, 1e-9, 2e-9, 3.7e-4, 1.0, 604_800.0)
    for tokens, latency in product((0, 1, 2, 3, 1000), times):
        for ttft in (None, *(time for time in times if time <= latency)):
            expect_finite(step, generation(tokens, ttft, latency), "mind both ends of the scale.")


# What is handed on


def test_latency_is_handed_on_in_milliseconds(step):
    """`latency_ms` is the whole latency, in milliseconds.

    Hint: What does `latency_s` cover, and has your code taken a part of it away? In which unit does it go out?
    """
    for tokens, ttft, latency in READINGS:
        slips = {"TTFT was taken off": 1000 * (latency - ttft), "this is TTFT": 1000 * ttft}
        why = "the latency is of the whole request, prefill included."
        expect_figure(step, generation(tokens, ttft, latency), "latency_ms", 1000 * latency, why, slips)


def test_the_rest_is_handed_through(step):
    """Text, ids, prompt tokens, cache use and finish reason come out as they went in.

    Hint: Compare what goes in and what comes out field by field. Which one went through something on the way, such as
    `strip`, `or`, or a condition?
    """
    for ttft, text, ids, used_cache, reason in (
        (0.3, " two  spaces\n", [5, 0, 5, 257], True, "stop"),
        (0.3, "", [257], False, "length"),
        (0.3, "caf\ufffd 🙂", [1, 2, 3], False, "length"),
        (0.3, "", [5, 257, 200_019], True, "stop"),
        *((0.3, text, [3, 1], True, "length") for text in UNTOUCHABLE),
        (0.0, "no time", [1, 2, 257], True, "stop"),
        (0.0, "no time", [1, 2], False, "length"),
        (None, "no TTFT", [1, 2, 257], True, "stop"),
        (0.3, "one", [257], True, "stop"),
        (0.3, "", [], True, "length"),
        (0.3, "long", list(range(2000)), True, "stop"),
    ):
        other = {"text": text, "output_ids": ids, "used_cache": used_cache, "finish_reason": reason}
        latency = 0.0 if ttft == 0.0 else 1.1
        of = generation(ttft_s=ttft, latency_s=latency, input_tokens=7 * len(ids), **other)
        expect_handed_through(step, of)


def test_every_combination_of_readings_holds(step):
    """Whatever the other readings are, each figure follows its formula: short and long, first token last, no cache.

    Hint: Which of your lines asks about something that is not in its formula, such as the cache, the finish reason, or
    the size of a number?
    """
    for tokens, latency, share, used_cache, reason in product(
        (0, 1, 2, 7, 4000), (0.05, 40.0, 9000.0), (None, *SHARES), (True, False), ("stop", "length")
    ):
        ttft = None if share is None or tokens == 0 else share * latency
        expect_all_figures(step, generation(tokens, ttft, latency, used_cache=used_cache, finish_reason=reason))


# What a server makes of it: JSON, and many calls


def test_as_dict_is_json_as_the_contract_has_it(step):
    """`metrics.as_dict()` has the contract's keys and rounding, and is JSON.

    Hint: Call `json.dumps(result.metrics.as_dict())`. Of which type is the value that it stumbles over or that differs:
    a tensor, a None, something rounded too early?
    """
    base = {"throughput": 4.5, "input_tokens": 7, "output_tokens": 5, "latency_ms": 1100.0, "used_cache": True}
    base |= {"finish_reason": "stop"}
    expect_json(step, generation(), base | {"ttft_ms": 300.0, "tpot_ms": 200.0})
    expect_json(step, generation(ttft_s=None), base)
    expect_json(step, generation(ttft_s=0.0), base | {"tpot_ms": 275.0})


def test_calls_leave_each_other_and_the_generation_alone(step):
    """A second call does not touch the first one's result, and no call changes what it was handed.

    Hint: Do two results share an object? Compare `id()` of their metrics and of their lists, and look for what is made
    only once, when the module is read.
    """
    envelope_verdicts.keeps_results_apart(step)
    for of in (
        generation(),
        generation(ttft_s=None),
        generation(ttft_s=0.0, latency_s=0.0),
        generation(1, used_cache=False),
        generation(0, None, text=""),
    ):
        expect_left_alone(step, of)


# Stars


@pytest.mark.stretch
def test_percentile_lies_where_q_percent_of_the_values_lie_below(step):
    """`percentile(values, q)`, q from 0 to 100, agrees with any common definition, on unsorted values.

    Hint: Sort [40, 10, 30, 20, 50] by hand. Which place of the five, counted from 1, has 90% of the values at or below
    it? Where does Python's index 0 come in?
    """
    for count, start in product((2, 5, 7, 10, 101, 1000, 2500), (0.0, -21.0)):
        percentile_verdicts.lies_at_its_place(step, count, start)
    percentile_verdicts.counts_equal_values_one_by_one(step)


@pytest.mark.stretch
def test_percentile_of_one_value_is_that_value(step):
    """One value is every percentile of itself.

    Hint: Which index does your formula give for a single value, at q = 0, at 50 and at 100?
    """
    percentile_verdicts.gives_the_only_value(step)
    percentile_verdicts.takes_zero_for_a_value(step)


@pytest.mark.stretch
def test_percentile_never_leaves_the_values(step):
    """0 gives the smallest, 100 the largest, and nothing lies outside, not even by rounding.

    Hint: What does your formula give for q = 0 and for q = 100? If it mixes two values: can the sum end up beyond both,
    in the last digit?
    """
    percentile_verdicts.stays_among_the_values(step)


@pytest.mark.stretch
def test_percentile_leaves_the_values_as_they_were(step):
    """The values are in the same order afterwards.

    Hint: Print the caller's list after the call. Which line has put it in order?
    """
    percentile_verdicts.leaves_the_values_alone(step)


@pytest.mark.stretch
def test_percentile_of_nothing_is_refused(step):
    """There is no percentile of no values: a `ValueError`.

    Hint: The stub refuses an empty sequence before your lines are reached. Is that line still as it was?
    """
    percentile_verdicts.refuses_no_values(step)


# On a real model


@pytest.mark.real
@pytest.mark.timeout(600)
def test_smollm2s_answer_is_summed_up(step, load):
    """On an answer of SmolLM2's the counts are right, and the figures are finite and agree with each other."""
    from tests.doubles import real_verdicts

    real_verdicts.sums_up_a_real_answer(step, load)
