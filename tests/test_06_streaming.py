"""Checks of step 6: the text comes in chunks, each as soon as it is whole, and joined they are the completion.

First a tokenizer double and a scripted model, which start at once; last a real tiny model. Any iterator is right, and
so is any way to cut the text, as long as whole text waits for nothing: it is sent before the model runs again.
Left free: text that goes out earlier than it has to, and answers whose decoding takes back what it said before, as byte
fallback does with bytes that make no character. What a stream that was read is judged by stands in
`doubles/stream_….py`.
"""

from random import Random

import pytest

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles import (
    backends,
    stream_characters,
    stream_ends,
    stream_manners,
    stream_odd_tokens,
    stream_promises,
    stream_texts,
    stream_timing,
)
from tests.doubles.fast_tokenizer import END_OF_TEXT, END_THINK, HIDDEN, IM_END, IM_START, THINK, FastTokenizer
from tests.doubles.stream_characters import MEANT
from tests.doubles.stream_record import UNFINISHED
from tests.doubles.streams import PROMPT, answering, called, read
from tests.doubles.texts import UNTOUCHABLE

PROSE = b"the cat sat on the mat, and it sat there for a while. "
EMOJI = "🙂".encode()


# In short: an iterator, lazy, of new text alone, of all of it, and each piece in time.


def test_the_answer_is_an_iterator(step):
    """`generate_stream` returns an iterator.

    Hint: Print `type(generate_stream(…))`. Which keyword makes a function hand out its pieces as they come?
    """
    tokenizer = FastTokenizer()
    stream = step.generate_stream(answering(tokenizer, b"Hello"), tokenizer, PROMPT, max_new_tokens=5)
    expect(
        hasattr(type(stream), "__next__"),
        call=called(max_new_tokens=5),
        got=type(stream).__name__,
        wanted="an iterator, such as a generator",
        why="whoever reads the stream asks for the next chunk with next(): yield the pieces as they come.",
    )


def test_the_call_runs_at_most_the_prefill(step):
    """Calling `generate_stream` runs the model once at most: the rest happens as chunks are asked for.

    Hint: When does your loop over the tokens run: at the call, or at the first `next`? Look for whatever takes them all
    at once.
    """
    stream_timing.runs_at_most_the_prefill(step)


def test_the_prompt_goes_in_as_step_1_has_it(step):
    """The model's first forward takes the prompt in its chat format, word for word.

    Hint: What does `prepare_inputs` get from you, and what of its result goes to `decode_tokens`?
    """
    stream_promises.takes_the_prompt_word_for_word(step)


def test_no_chunk_repeats_what_was_sent(step):
    """Each chunk holds only new text.

    Hint: Print the chunks under each other. How does your code know which text is out already?
    """
    for reply in (b"Hello", b"ha ha ha"):
        stream_texts.repeats_nothing(read(step, FastTokenizer(), reply))


def test_joined_chunks_are_the_completion(step):
    """Joined, the chunks are the completion's text, spaces, line ends and repeated words included.

    Hint: Join the chunks and compare them with all ids decoded, by `repr`. Where do they part, and does a `strip`,
    `split` or `replace` look at that place?
    """
    stream_texts.begins_anew_each_time(step)
    stream_texts.asks_each_tokenizer(step)
    for reply in (
        b"Hello",
        b" two  spaces \n\n ",
        b"\n\n\nthree line ends first",
        b"no no no, no\tno",
        b"aardvark",
        b"{}[]<>\\\r\n",
        b"a\nUser: b\nHuman: c\n\n\n\n### d\nAssistant: STOP. </s> [END] e",
    ):
        stream_texts.comes_to_its_end(read(step, FastTokenizer(), reply))
    stream_texts.takes_id_0_for_a_token(read(step, FastTokenizer(), b"\x00 is a byte"))
    tokenizer = FastTokenizer(backends.merging_backend())
    for reply in (" the first token has a space", "\r\nCRLF\r\n", "an\n\n\nend", "e\u0301 in one", backends.RULER):
        stream_characters.are_held_back_to_the_end(read(step, tokenizer, tokenizer.ids(reply)))
    stream_texts.takes_ids_of_any_kind(step)


def test_each_chunk_goes_out_with_its_token(step):
    """What a token completes is sent before the model runs for the next token: every chunk, not just the first.

    Hint: After which token was the late chunk whole? What was your loop waiting for in that round?
    """
    params = SamplingParams(temperature=0.7, top_k=5)
    mixed = [*"ab é 🙂".encode(), HIDDEN, *b"cd \xff e", IM_END]
    waiting = "one\n\ntwo\r\n a < b <| c & d [e {f `g *h e\u0301 👩\u200d🚀 ❤\ufe0f i".encode()
    joining = "\u1112\u1161\u11ab 한 नि ก็ 🇩🇪 👍🏽 \u05e9\u05c1 e".encode()  # letters that draw together with the next
    for reply, options in (
        (b" Hello you", {}),
        (mixed, {}),
        (PROSE * 3, {}),
        (b"Hello", {"params": params}),
        (waiting, {}),
        (joining, {}),
    ):
        stream_timing.sends_whole_text_at_once(read(step, FastTokenizer(), reply, **options))


# Of the text: characters of several tokens, tokens without text, and what is left at the end.


def test_an_emoji_of_several_tokens_comes_whole(step):
    """An emoji whose bytes are tokens of their own is sent once, whole, with the last of them.

    Hint: Print what the ids so far decode to, round by round, for `🙂` on its own. What does the text end in before the
    fourth, and what had you sent by then?
    """
    for reply in ("🙂", "I 🙂 you", "🙂🙂🙃", "👩‍🚀 up"):
        stream_characters.come_whole(read(step, FastTokenizer(), reply.encode()))


def test_cjk_and_accents_of_several_tokens_come_whole(step):
    """Characters of two and three tokens are sent once, whole, with the last of them.

    Hint: Between the first and the last token of a character, does what you remember stand for the text that was
    decoded, or for the text that was *sent*?
    """
    for reply in ("naïve café", "你好 世界 𠮷", "한국어 и русский", "e\u0301"):
        stream_characters.come_whole(read(step, FastTokenizer(), reply.encode()))
    untouched = [text.rstrip(UNFINISHED) for text in UNTOUCHABLE]
    for reply in ("½ “ﬁ” ❤️", *untouched, "soft\u00adhyphen, \u202eleft\u202c", "\ufeffa mark\ufeff"):
        stream_texts.comes_as_it_is(read(step, FastTokenizer(), reply.encode()))


def test_no_chunk_is_empty(step):
    """A token without text of its own gives no chunk: an unfinished character, a special token, an EOS.

    Hint: Print the piece that a special token gives, and the first token of an emoji. What stands between it and your
    `yield`?
    """
    for reply in (b"Hello", "a🙂b".encode(), [*b"ab", HIDDEN, *b"cd", IM_END]):
        stream_texts.has_no_empty_chunk(read(step, FastTokenizer(), reply))


def test_special_tokens_are_never_shown(step):
    """No special token shows, listed in `all_special_ids` or not, inside the answer or at its end.

    Hint: Who decides in your code which token is special: the tokenizer, or a list of yours? Do all your decodes go the
    same way?
    """
    for reply in ([*b"a", IM_START, *b"b", IM_END], [HIDDEN, *b"a", END_OF_TEXT, HIDDEN, *b"b"]):
        stream_odd_tokens.special_ones_are_hidden(read(step, FastTokenizer(), reply))
    for special in (HIDDEN, IM_START):
        reply = [*EMOJI[:2], special, *EMOJI[2:]]
        stream_characters.are_whole_around_special_tokens(read(step, FastTokenizer(), reply))


def test_what_looks_like_a_special_token_is_shown(step):
    """Added tokens that are not special, and ordinary text that looks like a special token, are text.

    Hint: Do you search the text, or look tokens up in a list? What becomes of an answer that is *about* special tokens?
    """
    for reply in ([THINK, *b"so", END_THINK, *b"yes"], [*b"an <|im_end|> ends it", IM_END], list(b"<|endoftext|></s>")):
        told = read(step, FastTokenizer(), reply)
        stream_odd_tokens.look_alikes_are_shown(told)
        stream_timing.sends_whole_text_at_once(told)
    tokenizer = FastTokenizer(backends.tool_backend())
    told = read(step, tokenizer, [*b"a", tokenizer.id_of("<|tool|>"), *b"b"])
    stream_odd_tokens.the_tool_is_shown(told)
    stream_timing.sends_whole_text_at_once(told)


def test_an_answer_without_text_is_no_chunk(step):
    """An EOS at once gives an empty stream.

    Hint: Follow an answer whose first id is an EOS through your code, down to the last line. What is yielded?
    """
    for reply in ([IM_END], [HIDDEN, IM_END]):
        stream_texts.has_no_chunk(read(step, FastTokenizer(), reply, max_new_tokens=5))


def test_a_character_cut_by_the_limit_is_sent_as_it_is(step):
    """Where the limit cuts a character, what is left of it is sent at the end, as the completion has it.

    Hint: Something has been held back, and the loop is over. Which line of yours runs then?
    """
    for reply in (b"Hi " + EMOJI[:3], b"Hi " + EMOJI[:1], EMOJI + EMOJI[:2], EMOJI[:2]):
        stream_characters.are_sent_as_far_as_the_limit_let_them(step, read(step, FastTokenizer(), reply))


def test_a_character_cut_by_the_eos_is_sent_as_it_is(step):
    """Where the EOS cuts a character, what is left of it is sent at the end, as the completion has it.

    Hint: By how many ways does your loop end? Does what was held back meet the same line on each of them?
    """
    for reply in ([*b"Hi ", *EMOJI[:3], IM_END], [*EMOJI[:1], IM_END]):
        told = read(step, FastTokenizer(), reply, max_new_tokens=len(reply) + 3)
        stream_characters.are_sent_as_far_as_they_came(told)


def test_a_genuine_replacement_character_is_text(step):
    """A U+FFFD that the model means is text like any other, also several, and at the end.

    Hint: What does the next token do to a `�` that was unfinished, and what to one that the model meant? And what if
    none comes?
    """
    marks = [f"{UNFINISHED}{UNFINISHED}x", f"end {UNFINISHED}", f"{UNFINISHED}🙂", f"{UNFINISHED}\n"]
    for reply in (MEANT, *marks, "".join(f"{UNFINISHED * number}🙂" for number in range(2, 12))):
        stream_characters.are_kept_where_they_are_meant(read(step, FastTokenizer(), reply.encode()))
    stream_characters.are_never_given_up(read(step, FastTokenizer(), [*EMOJI[:2], *[HIDDEN] * 300, *EMOJI[2:]]))


def test_tokens_that_end_one_character_and_begin_the_next(step):
    """Tokens whose bytes straddle characters lose and double nothing.

    Hint: After such a token the text ends in half a character again. Which ids, and which text, do you still hold then?
    """
    tokenizer = FastTokenizer(backends.straddling_backend())
    for reply in ("你好你好", "🙂🙂🙂", "é é é the é"):
        told = read(step, tokenizer, tokenizer.ids(reply))
        stream_characters.are_held_back(told)
        stream_timing.sends_whole_text_at_once(told)


def test_the_leading_space_of_metaspace(step):
    """Where tokens carry their space in front (Llama's `▁`), each word keeps it, and the first one has none.

    Hint: Decode the ids of a second word by themselves, then behind those of the first. Where has the space gone?
    """
    for tokenizer in (FastTokenizer(backends.metaspace_backend()), FastTokenizer(backends.metaspace_backend(True))):
        for reply in ("the cat sat", " the cat  sat on", "the  mat. the cat\n the mat", "cat"):
            told = read(step, tokenizer, tokenizer.ids(reply))
            stream_odd_tokens.words_keep_their_space(told)
            stream_timing.sends_whole_text_at_once(told)
    plain, spelled = FastTokenizer(backends.metaspace_backend()), FastTokenizer(backends.metaspace_backend(True))
    doubtful, words = FastTokenizer(backends.doubtful_backend()), plain.ids("the cat sat")
    half, special = doubtful.id_of(f"▁{UNFINISHED}"), doubtful.id_of("<|im_start|>")
    for tokenizer, ids in (
        (plain, plain.ids("the cat sat on " * 60)),
        (spelled, [*spelled.ids("the"), spelled.id_of("▁▁"), *spelled.ids("mat")]),
        (doubtful, [*words, half]),
        (doubtful, [words[0], half, *words[1:]]),
    ):
        stream_odd_tokens.words_keep_their_space(read(step, tokenizer, ids))
    told = read(step, doubtful, [words[0], special, *words[1:]])
    stream_odd_tokens.words_keep_their_space_after_a_special_one(told)


def test_characters_spelled_in_byte_tokens(step):
    """With byte fallback (`<0xF0>` and so on) whole characters come out whole, side by side as well.

    Hint: What do the first two byte tokens of an emoji decode to, and how many `�` is it? Does your code look at the
    end of the text, or count?
    """
    tokenizer = FastTokenizer(backends.metaspace_backend(byte_fallback=True))
    stream_characters.are_held_back(read(step, tokenizer, tokenizer.ids("the 🙂 cat")))
    for reply in ("🙂🙂 üü", "ñ", "the " + "中🙂" * 20 + " cat"):
        told = read(step, tokenizer, tokenizer.ids(reply))
        stream_characters.are_decoded_from_their_first_byte(told)
        stream_timing.sends_whole_text_at_once(told)


def test_spaces_are_not_cleaned_up(step):
    """A tokenizer that tidies spaces by itself is told not to.

    Hint: Print the text after each token of `the mat .` and see what is taken back. Which of your decodes leaves that
    choice to the tokenizer?
    """
    tokenizer = FastTokenizer(backends.word_level_backend(), clean_up=True)
    told = read(step, tokenizer, tokenizer.ids("the cat sat . do n't ! the mat 's"))
    stream_odd_tokens.spaces_are_not_cleaned_up(step, told)
    stream_timing.sends_whole_text_at_once(told)


def test_ids_beyond_the_tokenizer_have_no_text(step):
    """An id that the model has and the tokenizer has not is no text, also in the middle of a character.

    Hint: What does decoding give for an id that the tokenizer has not, alone and between two halves of a character?
    Does your code ask anything else about it?
    """
    for backend in (backends.byte_level_backend(), backends.metaspace_backend(byte_fallback=True)):
        tokenizer = FastTokenizer(backend)
        beyond, half = len(tokenizer) + 7, tokenizer.ids("🙂")
        ids = [*tokenizer.ids("a"), beyond, *half[:-2], beyond, *half[-2:], beyond, beyond, *tokenizer.ids("b")]
        stream_odd_tokens.unknown_ones_have_no_text(step, tokenizer, ids, beyond)


def test_bytes_that_make_no_character(step):
    """Random bytes and ids come out as the completion has them.

    Hint: Join your chunks, decode all ids, and look where the two part. Which ids were held back there, and what has
    become of them?
    """
    for backend in (backends.byte_level_backend, backends.straddling_backend, backends.zero_eos_backend):
        for seed in range(5):
            random, tokenizer = Random(seed), FastTokenizer(backend())
            candidates = [random.randrange(len(tokenizer) + 20) for _ in range(30)] + tokenizer.ids("é 🙂 你")
            ids = [id for id in random.sample(candidates, 30) if id != tokenizer.eos_token_id]
            stream_characters.are_decoded_with_all_that_was_not_sent(read(step, tokenizer, ids))


# Of the tokens under it: how many, where they end, how they are drawn.


def test_one_token_a_step_through_the_cache(step):
    """The model takes the prompt once, then one token a step, with the cache: as many forwards as tokens, each time.

    Hint: Where do your tokens come from? Count the model's calls, and the ids in each of them. Does the same question
    cost the same the second time?
    """
    stream_promises.goes_one_token_a_step(read(step, FastTokenizer(), b"Hello, you"))
    stream_promises.works_again_for_the_same_question(step)


def test_every_eos_ends_the_stream(step):
    """The stream ends at any EOS, the model's or the tokenizer's, unless `ignore_eos`.

    Hint: Which stop ids reach the loop, and who made them? If your own code ends the stream as well: does it know of
    `ignore_eos`?
    """
    stream_ends.ends_at_every_eos(step)


def test_max_new_tokens_wins_over_the_params(clock, step):
    """`max_new_tokens` limits the stream, larger or smaller than `params.max_tokens`, which counts where it is None.

    Hint: Which limit goes to the token loop? Does your own code count chunks, of which there are fewer than tokens?
    """
    stream_ends.keeps_the_limit(step, clock)


def test_what_does_not_fit_is_refused_before_the_model_runs(step):
    """A limit below 1, or beyond the context, is a `RequestRefused`, at the call or at the first chunk.

    Hint: Is `check_fits` reached before the first forward? And with which limit, where 0 was asked for?
    """
    stream_ends.refuses_what_does_not_fit(step)


def test_the_params_reach_the_sampler(step):
    """With `top_k=2` only the two best tokens are drawn, and each of them is.

    Hint: Which params does `decode_tokens` get: the request's, or fresh ones?
    """
    stream_promises.hands_on_the_params(step)


def test_one_seed_gives_one_text_on_both_paths(step, load):
    """After the same `torch.manual_seed`, stream and `generate_cached` give the same sampled text.

    Hint: How many random numbers does a token cost on each path? Look for a second draw, a seed, a generator of your
    own.
    """
    stream_promises.draws_what_the_cached_path_draws(step, load)


# Towards others: other streams, the caller, and what was handed in.


def test_two_streams_at_once_do_not_mix(step):
    """Two streams, read in turns, each give their own answer, also after a stream that was left in the middle.

    Hint: Where do you keep what was sent: in the function, or on something that all streams share?
    """
    stream_manners.keeps_two_streams_apart(step)


def test_an_error_of_the_model_reaches_the_consumer(step):
    """If the model fails, what was whole is out already, and the error comes through with its type.

    Hint: Is there a `try` or a `finally` around the loop? What does it send, or swallow, when the model raises
    half-way?
    """
    stream_manners.lets_errors_through(step)


def test_no_gradients_are_recorded(step):
    """No forward records a graph, also where another thread reads the stream.

    Hint: Who calls the model: step 4's loop, or a line of yours? Print `torch.is_grad_enabled()` there, while a thread
    of its own reads.
    """
    stream_manners.records_no_graph(step)


def test_the_callers_grad_mode_stays(step):
    """Between two chunks the caller's grad mode is what it was.

    Hint: Is a `with torch.…` block open at your `yield`? What in this step would need one?
    """
    stream_manners.keeps_the_callers_grad_mode(step)


def test_nothing_handed_in_is_changed(step):
    """Params, tokenizer, the model's mode and its config are after the stream what they were before.

    Hint: What do you set on model, tokenizer or params, so as to have it for this one answer? Which call could take it
    as an argument?
    """
    stream_manners.leaves_what_it_is_handed(step)


# On real models.


def test_a_real_model_streams_what_the_library_says(step):
    """On real tiny models, random and greedy, the chunks join to the text of the library's own `generate`.

    Hint: Print both texts by `repr`. If they differ from the first word on, look at the tokens, which are step 4's; if
    only here and there, at what you send.
    """
    stream_promises.says_what_the_library_says(step)


def test_the_model_that_ships_streams_its_story(step):
    """On the trained model that ships with the kata the chunks of a story, 🐢 and all, join to the library's text.

    Hint: Print the chunks around the 🐢 by `repr`. How many tokens does it take, and what went out with each of them?
    """
    from tests.doubles import real_model, real_verdicts

    real_verdicts.streams_what_the_library_says(step, real_model.tiny(), [real_model.STORY], 200)


# For stars, and for those who have the weights.


@pytest.mark.stretch
def test_work_grows_with_the_answer_not_with_its_square(step):
    """The number of ids decoded grows linearly with the answer.

    Hint: How many ids do you decode at token 400, and how many of their characters went out long ago? How far back does
    the tokenizer have to see?
    """
    stream_timing.works_in_proportion(step, PROSE * 10)


@pytest.mark.stretch
def test_closing_the_stream_closes_the_token_loop(load):
    """A stream that is closed, or dropped, closes the token loop under it, and the model runs no more.

    Hint: What happens to the loop under yours when the consumer calls `close()`? Does anything else still hold its
    iterator?
    """
    stream_manners.closes_the_token_loop(load)


@pytest.mark.real
@pytest.mark.timeout(600)
def test_smollm2_streams_what_the_library_says(step):
    """On SmolLM2 the chunks join to the library's text, emoji and accents whole, each in time, one token a step."""
    from tests.doubles import real_model, real_verdicts

    real_verdicts.streams_what_the_library_says(step, real_model.smollm2(), real_model.TOLD, 32)
