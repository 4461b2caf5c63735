"""Checks of step 4: the prompt goes through the model once, then one token a step, with the cache.

First doubles, which start at once, then real tiny models, whose answers are compared with the library's own.
What steps 3 and 4 promise alike is judged in `doubles/loop_….py`.
"""

import pytest

from kata.failure import expect
from tests.doubles import (
    decode_calls,
    decode_manners,
    decode_runs,
    decode_yields,
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
from tests.doubles.calls import trace
from tests.doubles.clock import FakeClock
from tests.doubles.fast_tokenizer import IM_END
from tests.doubles.loop_runs import prompt_ids, run
from tests.doubles.loop_spies import step_1_giving, step_2_giving, step_2_watched, told_of_the_sampler
from tests.doubles.loop_verdicts import expect_each
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import hashed, rows

# `decode_tokens`: what goes into the model, call by call.


def test_the_first_call_takes_the_whole_prompt(load):
    """The model's first call takes all ids of the prompt; nothing is cached yet.

    Hint: Print `input_ids.shape` and the cache at the first call of the model. What has it read by then, and so what
    must go in?
    """
    watched = step_2_watched(load(2))
    with told_of_the_sampler(watched.shapes):
        decode_calls.prefills_the_whole_prompt(load(under={2: watched}))


def test_every_later_call_takes_the_newest_token_alone(step):
    """Every later call of the model takes exactly one token, the newest.

    Hint: Print `input_ids.shape` in every round. The model has read everything up to its last call: what is the one
    thing that it has not?
    """
    decode_calls.feeds_one_token(step)


def test_use_cache_is_said_outright(step):
    """Every call of the model says use_cache=True.

    Hint: What is `output.past_key_values` when nobody asks for a cache? Who decides it then?
    """
    decode_calls.says_use_cache(step)


def test_every_later_call_takes_the_cache_of_the_call_before(step):
    """Every later call takes the cache that the call before it returned, whatever that is: it may even be falsy.

    Hint: Which variable goes in as the cache in round three, and who set it last? How does your code find out that
    there is none yet, and what does `bool()` say to an empty one?
    """
    decode_calls.hands_on_the_cache(step)


def test_the_mask_is_as_long_as_cached_and_new(step):
    """The attention mask has a 1 for every token that is cached and for the new one, at every call.

    Hint: The prompt has 9 ids. How many ones has the mask at the prefill, at the first decode call, at the second?
    Print it beside the number of cached ids.
    """
    decode_calls.grows_the_mask(step)


def test_positions_where_given_go_on(step):
    """Where position_ids are handed in (they need not be), they go on where the cache ends.

    Hint: The prompt's 9 ids are at the positions 0 to 8. At which one is the first new token, and what did your code
    say?
    """
    decode_calls.counts_positions_on(step)


# `decode_tokens`: which tokens come, when, how many, and where they end.


def test_a_token_costs_one_call_when_it_is_taken(step):
    """decode_tokens is lazy: taking n tokens runs the model n times, taking none not at all.

    Hint: Take one token with `next()` and count the calls of the model. What stands between the call that made the
    token and its `yield`?
    """
    decode_yields.is_lazy(step)


def test_the_tokens_are_plain_ints_from_an_iterator(step):
    """decode_tokens returns an iterator, and each token is a plain int.

    Hint: Print `type(next(decode_tokens(…)))`. Is it a number, or a tensor that holds one? And does `next` work at all?
    """
    ids, call = decode_runs.decoded(step, ScriptedModel(hashed()), 3)
    expect(bool(ids), call=call, got="no token", wanted="3 tokens", why="each call of the model gives one.")


def test_a_stop_id_in_the_prompt_ends_nothing(step):
    """A stop id inside the prompt does not end the answer.

    Hint: Which ids do you compare with `stop_ids`? How many of them are new in a round?
    """
    decode_yields.is_not_ended_by_the_prompt(step)


def test_it_makes_exactly_as_many_tokens_as_asked_for(step):
    """n tokens are n calls of the model, for n = 1, 2 and 16, also once the iterator is used up.

    Hint: Count the model's calls for a limit of 1, until the iterator says that it has ended. What does your loop do
    after its last `yield`?
    """
    decode_yields.makes_exactly_as_many(step)


def test_each_token_is_the_best_of_the_last_row(step):
    """With greedy params each token is the argmax of the last position's logits.

    Hint: The prefill gives a row of logits for each id of the prompt, a decode call gives one. Which index is right for
    both?
    """
    decode_yields.takes_the_best_of_the_last_row(step)


def test_a_prompt_of_one_token(step):
    """A prompt of a single token is prefilled like any other.

    Hint: By what does your code know that it is at the prefill? Ask it that of a prompt of a single id.
    """
    decode_calls.prefills_a_single_token(step)


def test_it_stops_at_the_stop_ids_it_was_handed(step):
    """Each of the stop ids handed in ends the answer and is its last token; no other id ends it.

    Hint: Where do the ids come from that end your loop: from the argument, or from model and tokenizer? And what comes
    first for the last token, its `yield` or the end?
    """
    decode_yields.stops_at_the_stop_ids(step)


def test_it_can_ignore_eos(step):
    """With params.ignore_eos no stop id ends the answer: only the limit does.

    Hint: Which line ends the loop early, and what does it ask besides the id?
    """
    decode_yields.can_ignore_stop_ids(step)


def test_two_at_once_do_not_touch_each_other(step):
    """Two iterators taken in turns give what each gives alone.

    Hint: Which of your variables does not live in the function: is it on the module, on the model, in a default
    argument? Take two iterators in turns and print it.
    """
    decode_manners.can_be_interleaved(step)


def test_the_same_inputs_twice_give_the_same_tokens(step):
    """The same inputs give the same tokens again, also after an iterator that was left half-way; inputs stay as is.

    Hint: Print `inputs['attention_mask'].shape` before and after. What do you write into that the caller still holds, a
    tensor or the mapping itself?
    """
    decode_manners.starts_afresh(step)


# `generate_cached`, made of it, and both of them: gradients, the sampler, chance.


def test_generate_cached_uses_the_cache(step):
    """generate_cached returns a `Generation` with used_cache True, and the cache was truly used.

    Hint: From where does `generate_cached` get its tokens, and what does its `Generation` say of the cache?
    """
    model = ScriptedModel(hashed())
    result, call = run(step.generate_cached, model, max_new_tokens=5)
    wanted = [model.calls[0].ids, *[[token] for token in result.output_ids[:-1]]]
    why = "generate_cached collects the tokens of decode_tokens: the prompt goes in once, then one token a call."
    got = [each.ids for each in model.calls]
    same = len(got) == len(wanted)
    shown = trace(model.calls, min(len(got), len(wanted)))
    expect(same, call=call, got=f"{len(got)} calls", wanted=f"{len(wanted)} calls", why=why, trace=shown)
    expect_each(model.calls, got, wanted, call=call, why=why)
    for new_tokens in (1, 5):
        result, call = run(step.generate_cached, ScriptedModel(hashed()), max_new_tokens=new_tokens)
        why = "this loop works with a cache, and the metrics report it."
        expect(result.used_cache, call=f"{call}.used_cache", got=result.used_cache, wanted=True, why=why)
    decode_manners.works_anew_for_the_same_prompt(step)


def test_the_prompt_goes_through_step_1(load):
    """generate_cached formats the prompt by step 1's prepare_inputs, word for word.

    Hint: What does `prepare_inputs` get, and what becomes of its result before `decode_tokens` has it?
    """
    loop_tokens.goes_through_step_1(load, "generate_cached")


def test_no_gradients_are_recorded(step):
    """No call of the model records a graph, also where another thread takes the tokens.

    Hint: Print `torch.is_grad_enabled()` beside the model's call, once while a thread of its own takes the tokens. What
    stood above `def decode_tokens` in the stub?
    """
    loop_manners.records_no_graph(step.generate_cached, decode_manners.WHERE_GRAD_IS_OFF)
    decode_manners.records_no_graph_in_another_thread(step)


def test_the_callers_grad_mode_stays(load):
    """The caller's grad mode is as it was after each call, and between two tokens as well.

    Hint: Print `torch.is_grad_enabled()` in the caller's loop, between two tokens. Which line of yours has switched it,
    and is it still open at the `yield`?
    """
    decode_manners.leaves_the_grad_mode_between_tokens(load)
    loop_manners.keeps_the_callers_grad_mode(lambda: load().generate_cached)


def test_the_sampler_gets_params_and_the_last_row(load):
    """When not greedy, step 2's sampler gets the request's params and the last row of logits, at every token.

    Hint: Is the sampler asked for the token after the prefill too? Print the shape of what it gets there, and later.
    """
    for params in loop_manners.DRAWN:
        spy = step_2_giving(load(2), [115, 107, 121])
        generate = load(under={2: spy}).generate_cached
        loop_manners.asks_the_sampler(generate, ScriptedModel(rows), spy.asked, params)


def test_the_samplers_answer_is_used(load):
    """The token that the sampler gives is yielded and fed back, whatever the logits' favourite is.

    Hint: Follow the sampler's tensor: what is yielded, and what goes into the next call? Are both made of it?
    """
    said = [115, 107, IM_END, 70_000, 107]  # an id of a large vocabulary
    decode_yields.yields_what_the_sampler_says(load(under={2: step_2_giving(load(2), said)}), said)


def test_draws_come_from_the_global_generator(step):
    """torch.manual_seed makes a sampled answer reproducible, and nothing in here seeds again.

    Hint: Run a sampled answer twice after one `torch.manual_seed`, then after two others. If equal seeds differ, who
    else draws; if all agree, who seeds?
    """
    loop_manners.draws_with_the_global_generator(step.generate_cached)


# `generate_cached`: what step 3 promises as well.


def test_generate_cached_says_what_the_model_says(step):
    """generate_cached's ids are the model's greedy ones.

    Hint: Compare `list(decode_tokens(…))` with the `output_ids` of `generate_cached` on one prompt. What does the
    collecting add, or lose?
    """
    loop_tokens.says_what_the_model_says(step.generate_cached)


def test_it_stops_at_every_eos(step):
    """An EOS of the model's generation config or of the tokenizer ends the answer, and is its last id.

    Hint: `generate_cached` has made `stop_ids`. Do they reach the loop as they are, all of them?
    """
    loop_ends.stops_at_every_eos(step.generate_cached)


def test_generate_cached_can_ignore_eos(step):
    """generate_cached hands params.ignore_eos on, and goes to the limit.

    Hint: Which params does the loop get from `generate_cached`: the request's own?
    """
    loop_ends.can_ignore_eos(step.generate_cached)


def test_it_says_why_it_ended(step):
    """finish_reason is "stop" where an EOS ended the answer, else "length".

    Hint: The reason is read off the last of `output_ids`. Has the token that ended the answer got there?
    """
    loop_ends.says_why_it_ended(step.generate_cached)


def test_max_new_tokens_wins_over_the_params(step):
    """The limit is max_new_tokens where given, else params.max_tokens.

    Hint: Which of the numbers at hand goes to `decode_tokens` as its limit? One of them has been made of the two
    others.
    """
    loop_ends.keeps_the_limit(step.generate_cached)


def test_it_refuses_fewer_than_one_token(step):
    """A limit below 1 is a RequestRefused that names it, before the model runs.

    Hint: The lines above the gap refuse what cannot be served. Are they as they were in the stub, and what do they see
    for a limit of 0?
    """
    loop_refusals.refuses_fewer_than_one(step.generate_cached)


def test_it_refuses_what_does_not_fit(step):
    """Prompt and limit beyond the model's context are a RequestRefused that names all three numbers.

    Hint: Which numbers stand in your refusal? The prompt's is a number of ids: print what `check_fits` is handed.
    """
    loop_refusals.refuses_what_does_not_fit(step.generate_cached)


def test_it_serves_an_exact_fit(step):
    """Prompt and answer may fill the context to the last token.

    Hint: Is one more token counted somewhere than will be made, or a comparison of your own in the way? Try it where
    prompt and limit make exactly the context.
    """
    loop_refusals.serves_an_exact_fit(step.generate_cached)


def test_only_the_completion_is_returned(step):
    """The text is the answer alone, without the prompt and without special tokens.

    Hint: Print `output_ids` beside the text. Is there an id in them that was in the prompt, or something done to the
    text after decoding?
    """
    loop_texts.returns_only_the_completion(step.generate_cached)


def test_spaces_are_left_alone(step):
    """The text is decoded without clean-up of spaces, whatever the tokenizer's own setting is.

    Hint: The last lines of the file decode. Are the options there as they were in the stub?
    """
    loop_texts.leaves_spaces_alone(step.generate_cached)


def test_nothing_handed_in_is_changed(step):
    """Params, the model's mode and its config are after the call what they were before.

    Hint: Compare `params`, `model.training` and `model.config` before and after. Which assignment goes to something
    that the caller owns?
    """
    loop_leftovers.leaves_what_it_is_handed(step.generate_cached)


def test_nothing_is_kept_between_calls(step):
    """Each call stands for itself: nothing of the one before is seen in it, and no cache outlives its request.

    Hint: Can a cache, or an output of the model, still be reached when the call is over: from the module, an attribute,
    a function made in the loop?
    """
    loop_leftovers.keeps_nothing_between_calls(step.generate_cached)
    decode_manners.lets_go_of_the_cache(step)
    decode_manners.can_begin_inside_another(step)


def test_readings_run_from_the_arrival(load, clock: FakeClock):
    """latency_s runs from the call's begin to the last token, ttft_s to the first token.

    Hint: When is the first token there: in the first round of the `for`, or when the list is whole? How often do you
    read the clock for `ttft_s`?
    """

    def load_generate(on_ask, on_draw):
        under = {1: step_1_giving(load(1), prompt_ids(), on_ask)}
        under[2] = step_2_giving(load(2), loop_readings.SAID, on_draw)
        return load(under=under).generate_cached

    loop_readings.reads_the_clock(load_generate, clock, ttft_may_be_none=False)


# A long run, another device, real models.


def test_eighty_tokens_after_a_long_prompt(step):
    """80 tokens after a prompt of more than 512 ids, and 520 after a short one, are made like any others.

    Hint: Print the lengths of mask and cache around token 70. Does one of them stop at some number?
    """
    decode_calls.goes_on_as_it_began(step)
    decode_calls.cuts_no_long_prompt(step)
    loop_tokens.copes_with_a_long_prompt(step.generate_cached)


def test_new_tensors_follow_the_model_to_its_device(step):
    """Every tensor made on the way lies on the model's device.

    Hint: Where is the 1 born that the mask gets, and the token that goes in next? Which tensor could you have asked for
    its device?
    """
    loop_manners.follows_the_model_to_its_device(step.generate_cached)


def test_the_answer_is_the_librarys_and_step_3s_on_qwen3(load):
    """On real tiny Qwen3 models the greedy answer is the library's and step 3's, token for token.

    Hint: Which token is the first to differ? If the second, look at what goes in beside it: cache, mask, position. If a
    later one, which of the three falls behind?
    """
    models, uncached = library_verdicts.qwen3s(), load(3).generate_uncached
    library_verdicts.equals_the_library(load().generate_cached, models, uncached)


def test_the_answer_is_the_librarys_and_step_3s_on_llama_and_gpt2(load):
    """So it is on Llama, and on GPT-2 with its learned positions.

    Hint: GPT-2 knows a place only by its number. What does your code, or the length of the cache, tell it at the second
    token?
    """
    models, uncached = library_verdicts.llama_and_gpt2(), load(3).generate_uncached
    library_verdicts.equals_the_library(load().generate_cached, models, uncached)


def test_the_cache_keeps_all_of_a_long_prompt(step):
    """After a prompt of 700 tokens on a real model the answer is still the library's: all of it is remembered.

    Hint: What do you do to the cache between two calls of the model? Nothing need be done: the model has extended it.
    """
    library_verdicts.remembers_a_long_prompt(step.generate_cached)


def test_it_stops_where_the_library_stops(step):
    """On a real tiny model an EOS ends the answer where the library's generate ends it.

    Hint: At which id does the library's `generate` end, and does your loop give that id away before it ends?
    """
    library_verdicts.stops_where_the_library_stops(step.generate_cached)


def test_the_model_that_ships_is_heard_out(step):
    """On the trained model that ships with the kata the answer is the library's, up to the EOS or the limit.

    Hint: Read your answer and the library's. If yours begins well and then loses itself, what falls behind with every
    token? If it never ends, which ids did you look for?
    """
    real_model.is_heard_out(step.generate_cached, is_cached=True)


# For stars.


@pytest.mark.stretch
def test_a_closed_iterator_runs_the_model_no_more(step):
    """An iterator that is closed, or dropped, does not run the model again.

    Hint: What still runs after `close()`: a thread, a list that is filled ahead? And does a `try` of yours catch what
    `close` raises at the `yield`?
    """
    decode_manners.ends_when_it_is_closed_or_dropped(step)


@pytest.mark.stretch
def test_a_prompt_padded_on_the_left(step):
    """On learned positions (GPT-2) a prompt padded on the left gives the tokens of the same prompt without padding.

    Hint: With two pads in front, at which position is the first real token? A running sum of the mask's ones nearly
    says it: by how much is it off, there and at the pads?
    """
    library_verdicts.skips_padding_on_the_left(step)


# For those who have a GPU, or the weights.


@pytest.mark.gpu
def test_all_that_the_model_takes_lies_on_the_gpu(step):
    """Prompt, mask and every new token lie on the GPU."""
    device_tier.lands_on_the_device(step.generate_cached)


@pytest.mark.gpu
def test_readings_wait_for_the_gpu(step):
    """The clock is read when the GPU is done, not when its work was queued."""
    device_tier.waits_for_the_device(step.generate_cached)


@pytest.mark.gpu
def test_gpu_memory_comes_back(step):
    """After ten requests as much GPU memory is held as after the first: no cache outlives its request."""
    device_tier.gives_memory_back(step.generate_cached)


@pytest.mark.gpu
def test_cached_equals_uncached_on_the_gpu(load):
    """In float32 both loops say the same 64 tokens, in the shape of Qwen3-0.6B."""
    device_tier.equals_uncached(load(), load(3))


@pytest.mark.gpu
def test_logits_agree_in_bfloat16_on_the_gpu(load):
    """In bfloat16 both loops' logits agree to 0.1 of their standard deviation."""
    device_tier.logits_agree(load)


@pytest.mark.gpu
@pytest.mark.timeout(600)
def test_the_cache_saves_work_on_the_gpu(load, capsys):
    """At 512 tokens each loop sends as many ids through the model as it must; the times are printed, not judged."""
    line = device_tier.work_saved(load(), load(3))
    with capsys.disabled():
        print(f"\n{line}")


@pytest.mark.real
@pytest.mark.timeout(1800)
def test_smollm2_says_what_the_library_says(step):
    """On SmolLM2 (float32) the greedy answer is the library's, token for token: 10 prompts, 64 tokens."""
    runtime, prompts = real_model.smollm2(), real_model.PROMPTS
    real_model.says_what_the_library_says(step.generate_cached, runtime, prompts, 64, is_cached=True)
