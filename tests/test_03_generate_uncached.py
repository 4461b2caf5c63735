"""Checks of step 3: the whole sequence goes through the model for every new token.

First doubles, which start at once, then real tiny models, whose answers are compared with the library's own.
What steps 3 and 4 promise alike is judged in `doubles/loop_….py`.
"""

from collections.abc import Sequence

import pytest

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles import (
    device_tier,
    library_verdicts,
    loop_ends,
    loop_leftovers,
    loop_manners,
    loop_readings,
    loop_refusals,
    loop_texts,
    loop_tokens,
    real_model,
)
from tests.doubles.calls import Call
from tests.doubles.clock import FakeClock
from tests.doubles.fast_tokenizer import IM_END
from tests.doubles.loop_runs import padding_with, prompt_ids, run
from tests.doubles.loop_spies import step_1_giving, step_2_giving, step_2_watched, told_of_the_sampler
from tests.doubles.loop_verdicts import expect_calls, expect_each, told_with_use_cache
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import TRICKY_IDS, hashed, rows, tricky

# What goes into the model, call by call.


def test_the_result_is_a_generation(load):
    """generate_uncached returns a `Generation`, whose output_ids are a list of plain ints.

    Hint: Print `output_ids` and the type of its first entry. What of `shared/generation.py` is filled in by the lines
    after your loop, and what do they need from it?
    """
    watched = step_2_watched(load(2))
    with told_of_the_sampler(watched.shapes):
        result, call = run(load(under={2: watched}).generate_uncached, ScriptedModel(hashed()), max_new_tokens=3)
    why = "no cache was used here, and the metrics say so to the client."
    expect(not result.used_cache, call=f"{call}.used_cache", got=result.used_cache, wanted=False, why=why)


def test_the_prompt_goes_through_step_1(load):
    """The prompt is formatted by step 1's prepare_inputs, word for word, and the model gets what comes back.

    Hint: How often is `prepare_inputs` called, and with what? Is what the model gets first exactly what came back?
    """
    loop_tokens.goes_through_step_1(load, "generate_uncached")


def test_every_call_takes_the_whole_sequence(step):
    """Every call of the model takes the prompt and all tokens made so far, each once and in order.

    Hint: Print `generated_ids.shape` in every round: it should grow by one. Where does the new token go in your code,
    and is it there when the model is called again?
    """
    model = ScriptedModel(hashed())
    result, call = run(step.generate_uncached, model, max_new_tokens=6)
    wanted = [prompt_ids() + result.output_ids[:at] for at in range(len(model.calls))]
    why = "without a cache the model remembers nothing: append each token to all ids before, and hand in all of them."
    expect_each(model.calls, [each.ids for each in model.calls], wanted, call=call, why=why)


def test_the_mask_grows_with_the_ids(load):
    """The attention mask has a 1 for every id (0, a pad or an EOS too) at every call, and grows with them.

    Hint: Print the shapes of ids and mask side by side in every round. Which one falls behind? And what is appended
    where the token is 0 or an EOS?
    """
    for under, which in (({}, ""), ({1: step_1_giving(load(1), [5, *TRICKY_IDS])}, ", a prompt with ids 0, 257, 258")):
        model = padding_with(IM_END if which else None, ScriptedModel(tricky))
        generate = load(under=under).generate_uncached
        _, call = run(generate, model, max_new_tokens=8, params=SamplingParams(ignore_eos=True))
        masks, wanted = [each.mask for each in model.calls], [[1] * len(each.ids) for each in model.calls]
        why = "the mask says which ids may be looked at: append a 1 to it whenever a token is appended to the ids."
        if any(0 in (mask or ()) for mask in masks[:1]):
            why = "the first mask is the one that step 1 returned, and hides no id of the prompt, a pad's neither."
        expect_each(model.calls, masks, wanted, call=f"{call}{which}", why=why, of="attention_mask")


def test_positions_where_given_count_from_0(step):
    """Where position_ids are handed in (they need not be), they count from 0 to the last id.

    Hint: Print the `position_ids` of the second round. Where do they have to begin, if the whole sequence goes in
    again? What if you hand in none?
    """
    model = ScriptedModel(hashed())
    _, call = run(step.generate_uncached, model, max_new_tokens=4)
    wanted = [list(range(len(each.ids))) for each in model.calls]
    got = [right if each.positions is None else each.positions for each, right in zip(model.calls, wanted, strict=True)]
    why = "the whole sequence goes in, so positions start at 0 each time; left alone, the model counts them itself."
    expect_each(model.calls, got, wanted, call=call, why=why, of="position_ids")


def test_no_cache_is_asked_for(step):
    """No cache is asked for and none is handed in: use_cache is False, or not given.

    Hint: Which arguments of your model call have `cache` or `past` in their names? What does this loop need back from
    the model?
    """
    model = ScriptedModel(hashed())
    _, call = run(step.generate_uncached, model, max_new_tokens=3)
    _expect_no_cache(model.calls, call)


def _expect_no_cache(calls: Sequence[Call], call: str) -> None:
    cached = [each.use_cache not in (False, None) or each.cache_given is not None for each in calls]
    why = "this is the loop without a cache, the one that step 4 is measured against."
    wrong = cached.index(True) if any(cached) else None
    got = "a cache handed in" if wrong is not None and calls[wrong].cache_given is not None else "use_cache=True"
    wanted, tell = "use_cache=False, no past_key_values", told_with_use_cache
    expect_calls(calls, wrong, call=call, got=got, wanted=wanted, why=why, tell=tell)


# Which tokens come, how many, and where they end.


def test_an_eos_in_the_prompt_ends_nothing(step):
    """An EOS inside the prompt (the chat template writes some) does not end the answer.

    Hint: Decode the prompt's ids and count the EOS in them. Which ids does your loop look at when it decides to stop?
    """
    loop_ends.is_not_ended_by_the_prompt(step.generate_uncached)


def test_it_makes_exactly_as_many_tokens_as_asked_for(step):
    """n tokens are n calls of the model, for n = 1, 2 and 16: none too many, none wasted.

    Hint: Count by hand for a limit of 1: how often is the model called, before the loop, in it, and after it?
    """
    for new_tokens in (1, 2, 16):
        loop_tokens.makes_exactly(step.generate_uncached, new_tokens)


def test_each_token_is_the_best_of_the_last_row(step):
    """With greedy params each token is the argmax of the last position's logits.

    Hint: Print `logits.shape`. There is a row for every position: which of them speaks about the token that comes next?
    """
    loop_tokens.says_what_the_model_says(step.generate_uncached)


def test_it_stops_at_every_eos(step):
    """An EOS of the model's generation config or of the tokenizer ends the answer, and is its last id.

    Hint: Print `stop_ids`: how many are there? At the moment when you look, is the new token in `output_ids` yet, and
    has the model been called again?
    """
    loop_ends.stops_at_every_eos(step.generate_uncached)


def test_it_can_ignore_eos(step):
    """With params.ignore_eos only the limit ends the answer.

    Hint: Which line ends your loop early, and what does it ask besides the id? If the answer goes on: does that token
    still get into ids and mask?
    """
    loop_ends.can_ignore_eos(step.generate_uncached)


def test_it_says_why_it_ended(step):
    """finish_reason is "stop" where an EOS ended the answer, else "length".

    Hint: `finish_reason` in `shared/generation.py` reads the reason off the ids. Is the one that ended the answer among
    them, at the end?
    """
    loop_ends.says_why_it_ended(step.generate_uncached)


def test_max_new_tokens_wins_over_the_params(step):
    """The limit is max_new_tokens where given, else params.max_tokens.

    Hint: How many rounds does your loop make, and which number decides? What does `max_new_tokens or …` do to a 0?
    """
    loop_ends.keeps_the_limit(step.generate_uncached)


def test_it_refuses_fewer_than_one_token(step):
    """A limit below 1 is a RequestRefused that names it, before the model runs.

    Hint: What does your code do with a limit of 0 on its way to the model? Read `check_fits` in `shared/limits.py`: is
    it still called, and before the loop?
    """
    loop_refusals.refuses_fewer_than_one(step.generate_uncached)


def test_it_refuses_what_does_not_fit(step):
    """Prompt and limit beyond the model's context are a RequestRefused that names all three numbers.

    Hint: Which numbers does `check_fits` want? One of them is known only when the prompt has become ids: print what you
    hand over.
    """
    loop_refusals.refuses_what_does_not_fit(step.generate_uncached)


def test_it_serves_an_exact_fit(step):
    """Prompt and answer may fill the context to the last token.

    Hint: A prompt of 10 ids, 6 new tokens, a context of 16: is that too much? Look for a comparison of your own beside
    `check_fits`.
    """
    loop_refusals.serves_an_exact_fit(step.generate_uncached)


# What comes back, and how it came about: text, gradients, the sampler, chance.


def test_only_the_completion_is_returned(step):
    """The text is the answer alone, without the prompt and without special tokens.

    Hint: Print `output_ids` beside the prompt's ids. Is anything in them that is not new? And what happens to the text
    after it is decoded?
    """
    loop_texts.returns_only_the_completion(step.generate_uncached)


def test_spaces_are_left_alone(step):
    """The text is decoded without clean-up of spaces, whatever the tokenizer's own setting is.

    Hint: Decode `output_ids` with `clean_up_tokenization_spaces` True and False, and compare. Which line of your file
    decodes, and which of the two does it ask for?
    """
    loop_texts.leaves_spaces_alone(step.generate_uncached)


def test_no_gradients_are_recorded(step):
    """No call of the model records a graph for gradients.

    Hint: What stands above `def` in the stub? Print `torch.is_grad_enabled()` beside the model's call.
    """
    loop_manners.records_no_graph(step.generate_uncached)


def test_the_callers_grad_mode_stays(load):
    """Gradients are on or off for the caller as they were before the call, also when the model fails.

    Hint: Does a line of yours switch gradients off for good? Who switches them on again, and who does if the model
    raises?
    """
    loop_manners.keeps_the_callers_grad_mode(lambda: load().generate_uncached)


def test_the_sampler_gets_params_and_the_last_row(load):
    """When not greedy, step 2's sampler gets the request's params and the last row of logits, at every token.

    Hint: Print the arguments of your call of `sample_next_token`: is the second the very object that came in, and the
    first of shape (1, vocab)? In the first round as well?
    """
    for params in loop_manners.DRAWN:
        spy = step_2_giving(load(2), [115, 107, 121])
        generate = load(under={2: spy}).generate_uncached
        loop_manners.asks_the_sampler(generate, ScriptedModel(rows), spy.asked, params)


def test_the_samplers_answer_is_used(load):
    """The token that the sampler gives is kept and fed back, whatever the logits' favourite is.

    Hint: What do you do with the tensor that the sampler returns? Do `output_ids` and the next round's ids both take
    theirs from it?
    """
    said = [115, 107, IM_END, 121, 107]
    generate = load(under={2: step_2_giving(load(2), said)}).generate_uncached
    loop_manners.uses_what_the_sampler_says(generate, said)


def test_draws_come_from_the_global_generator(step):
    """torch.manual_seed makes a sampled answer reproducible, and nothing in here seeds again.

    Hint: Is there a seed, or a generator, anywhere between the call and the sampler? What would the second token draw
    then?
    """
    loop_manners.draws_with_the_global_generator(step.generate_uncached)


# Towards others: what was handed in, other calls, the clock.


def test_nothing_handed_in_is_changed(step):
    """Params, the model's mode and its config are after the call what they were before.

    Hint: To which objects that are not yours do you assign: `params.…`, `model.config.…`, a call of `model.eval()`?
    What were they needed for?
    """
    loop_leftovers.leaves_what_it_is_handed(step.generate_uncached)


def test_nothing_is_kept_between_calls(step):
    """Each call stands for itself: the same prompt gives the same answer, whatever was asked before.

    Hint: Call it twice with one prompt and compare. What outlives the first call: a list as a default argument, a
    variable of the module, a cache?
    """
    loop_leftovers.keeps_nothing_between_calls(step.generate_uncached)


def test_readings_run_from_the_arrival(load, clock: FakeClock):
    """latency_s runs from the call's begin to the last token; ttft_s to the first token, or is None (not measured).

    Hint: What has already been done when your clock is read for the first time? And at which line is the first token
    there?
    """

    def load_generate(on_ask, on_draw):
        under = {1: step_1_giving(load(1), prompt_ids(), on_ask)}
        under[2] = step_2_giving(load(2), loop_readings.SAID, on_draw)
        return load(under=under).generate_uncached

    loop_readings.reads_the_clock(load_generate, clock, ttft_may_be_none=True)


# A long run, another device, real models.


def test_eighty_tokens_after_a_long_prompt(step):
    """80 tokens after a prompt of more than 512 ids, and 520 after a short one, are made like any others.

    Hint: Is there a number in your code, a slice, a maximum, the size of a buffer, that a longer sequence runs into?
    """
    _expect_no_cache(*loop_tokens.copes_with_a_long_prompt(step.generate_uncached))


def test_new_tensors_follow_the_model_to_its_device(step):
    """Every tensor made on the way lies on the model's device.

    Hint: Which tensors are born in your loop, and where? One that you have already can make another beside it: look for
    methods whose names begin with `new_`.
    """
    loop_manners.follows_the_model_to_its_device(step.generate_uncached)


def test_the_answer_is_the_librarys_on_qwen3(step):
    """On real tiny Qwen3 models the greedy answer is that of the library's generate, token for token.

    Hint: Which token is the first to differ? Print ids and mask of the round that made it, and count them.
    """
    library_verdicts.equals_the_library(step.generate_uncached, library_verdicts.qwen3s())


def test_the_answer_is_the_librarys_on_llama_and_gpt2(step):
    """So it is on Llama, and on GPT-2 with its learned positions.

    Hint: GPT-2 adds a learned vector for each position. What does your call tell it of positions and mask in the third
    round, and what would the library say?
    """
    library_verdicts.equals_the_library(step.generate_uncached, library_verdicts.llama_and_gpt2())


def test_it_stops_where_the_library_stops(step):
    """On a real tiny model an EOS ends the answer where the library's generate ends it.

    Hint: At which id does the library's `generate` end? Is that id in `stop_ids`, and is it the last one of yours?
    """
    library_verdicts.stops_where_the_library_stops(step.generate_uncached)


def test_the_model_that_ships_is_heard_out(step):
    """On the trained model that ships with the kata the answer is the library's, up to the EOS or the limit.

    Hint: Let it answer `What is a KV cache?` and read. A trained model shows what a random one hides: does it go wrong
    at once, after some tokens, or at its end?
    """
    real_model.is_heard_out(step.generate_uncached, is_cached=False)


# For stars.


@pytest.mark.stretch
def test_only_the_last_row_of_logits_is_made(step):
    """Only the last position's logits are asked for: the others are a (length, vocab) matrix that nobody reads.

    Hint: Of how many rows do you read one? Look through the arguments of `Qwen3ForCausalLM.forward` for one that says
    how many to keep.
    """
    model = ScriptedModel(hashed())
    _, call = run(step.generate_uncached, model, max_new_tokens=4)
    kept = [each.logits_kept for each in model.calls]
    wrong = next((at for at, count in enumerate(kept) if count != 1), None)
    got = "" if wrong is None else f"{kept[wrong]} rows of logits"
    why = "`logits_to_keep=1` spares the model's last and widest layer for all positions but the newest."
    expect_calls(model.calls, wrong, call=call, got=got, wanted="1 row of logits", why=why)


# For those who have a GPU, or the weights.


@pytest.mark.gpu
def test_all_that_the_model_takes_lies_on_the_gpu(step):
    """Prompt, mask and every new token lie on the GPU."""
    device_tier.lands_on_the_device(step.generate_uncached)


@pytest.mark.gpu
def test_readings_wait_for_the_gpu(step):
    """The clock is read when the GPU is done, not when its work was queued."""
    device_tier.waits_for_the_device(step.generate_uncached)


@pytest.mark.gpu
def test_gpu_memory_comes_back(step):
    """After ten requests as much GPU memory is held as after the first."""
    device_tier.gives_memory_back(step.generate_uncached)


@pytest.mark.real
@pytest.mark.timeout(1800)
def test_smollm2_says_what_the_library_says(step):
    """On SmolLM2 (float32) the greedy answer is the library's, token for token: 2 prompts, 24 tokens."""
    runtime, prompts = real_model.smollm2(), real_model.PROMPTS[:2]
    real_model.says_what_the_library_says(step.generate_uncached, runtime, prompts, 24, is_cached=False)
