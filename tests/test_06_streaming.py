"""Checks of step 6: the text comes in chunks, each as soon as it is whole, and joined they are the completion.

First a tokenizer double and a scripted model, which start at once; last a real tiny model. Any iterator is right, and
so is any way to cut the text, as long as whole text waits for nothing: it is sent before the model runs again.
Left free: text that goes out earlier than it has to, and answers whose decoding takes back what it said before, as byte
fallback does with bytes that make no character.
"""

from random import Random

import pytest

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles import backends, stream_ends, stream_manners, stream_promises
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import END_OF_TEXT, END_THINK, HIDDEN, IM_END, IM_START, THINK, FastTokenizer
from tests.doubles.streams import HALF_LOST, LATE, PROMPT, UNFINISHED, Told, answering, called, expect_text, read
from tests.doubles.texts import UNTOUCHABLE

PROSE = "the cat sat on the mat, and it sat there for a while. "
EMOJI, MEANT = "🙂".encode(), f"a {UNFINISHED} b"
AS_IT_IS = "each token's text is sent once, and as it is: no strip, nothing left out, nothing added."
NO_END = "nothing in the text ends an answer: it is over when no token comes any more."
ID_0 = "id 0 is a token too, here the byte 0: `if token:` and `while token:` take it for nothing. Compare with None."
BORDERS = "whole characters become U+FFFD where what is decoded begins in the middle of one, as the last N ids may, "
BORDERS += "or the last token alone: begin at the ids of a piece that was sent."
HOLD_BACK = (
    "a character can take several tokens, and until the last of them decoding gives U+FFFD, which is no text to send. "
    "Hold back what ends in U+FFFD; subtracting the text before works only if that text was really sent."
)
REST_ALONE = "what is left at the end is decoded alone here, and has lost its space: like every piece it hangs on what "
REST_ALONE += "came before it, so decode it behind the piece that was sent last."
RUNS_ON = "an EOS came, and the stream went on after it: hand the token loop all of `stop_token_ids`, none left out."
FLUSH = "what was held back belongs to the answer too: when no token comes any more, send it as it is."
DROPPED = "U+FFFD is dropped here wherever it stands, and it may be meant, or be what is left of a character: hold it "
DROPPED += "back while more may come, and send it in the end."


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
    tokenizer, reply = FastTokenizer(), [HIDDEN, *EMOJI, *b"you"]
    model = answering(tokenizer, reply)
    step.generate_stream(model, tokenizer, PROMPT, max_new_tokens=len(reply))
    why = "a stream that is made before it is read is no stream: the user waits for the whole answer, then gets it."
    if 1 < len(model.calls) <= 5:
        why = "the first text of this answer takes five tokens: `next` at the call does not ask for one token, but for "
        why += "as many as the first chunk needs."
    expect(
        len(model.calls) <= 1,
        call=f"{called(max_new_tokens=len(reply))}, and no chunk taken",
        got=f"{len(model.calls)} calls of the model",
        wanted="none, or the prefill alone",
        why=why,
        trace=trace(model.calls, 1),
    )


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
        told = read(step, FastTokenizer(), reply)
        wrong = told.first_wrong(told.repeats)
        expect(
            wrong is None,
            call=told.call,
            got=told.shown(wrong),
            wanted=told.shown_wanted(wrong),
            why="the consumer writes one chunk after the other: send what is new, not the text so far.",
        )


def test_joined_chunks_are_the_completion(step):
    """Joined, the chunks are the completion's text, spaces, line ends and repeated words included.

    Hint: Join the chunks and compare them with all ids decoded, by `repr`. Where do they part, and does a `strip`,
    `split` or `replace` look at that place?
    """
    stream_promises.begins_anew_each_time(step)
    stream_promises.asks_each_tokenizer(step)
    for reply in (
        b"Hello",
        b" two  spaces \n\n ",
        b"\n\n\nthree line ends first",
        b"no no no, no\tno",
        b"aardvark",
        b"{}[]<>\\\r\n",
        b"a\nUser: b\nHuman: c\n\n\n\n### d\nAssistant: STOP. </s> [END] e",
    ):
        told = read(step, FastTokenizer(), reply)
        expect_text(told, NO_END if told.ends_early else AS_IT_IS)
    told = read(step, FastTokenizer(), b"\x00 is a byte")
    expect_text(told, ID_0 if told.text in ("", told.wanted[1:]) else AS_IT_IS)
    tokenizer = FastTokenizer(backends.merging_backend())
    for reply in (
        " the first token has a space",
        "\r\nCRLF\r\n",
        "an\n\n\nend",
        "e\u0301 in one",
        backends.RULER,
    ):
        told = read(step, tokenizer, tokenizer.ids(reply))
        expect_text(told, HOLD_BACK if told.shows_half else NO_END if told.ends_early else AS_IT_IS)
    stream_promises.takes_ids_of_any_kind(step)


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
        (PROSE.encode() * 5, {}),
        (b"Hello", {"params": params}),
        (waiting, {}),
        (joining, {}),
    ):
        told = read(step, FastTokenizer(), reply, **options)
        expect_in_time(told)


def expect_in_time(told: Told) -> None:
    wrong = told.first_wrong(told.is_late)
    expect(
        wrong is None,
        call=told.call,
        got=told.shown(wrong),
        wanted=told.shown_wanted(wrong),
        why=LATE if wrong is None else told.why_late(wrong),
        varies=wrong is not None and told.is_ahead(wrong),
    )


def test_an_emoji_of_several_tokens_comes_whole(step):
    """An emoji whose bytes are tokens of their own is sent once, whole, with the last of them.

    Hint: Print what the ids so far decode to, round by round, for `🙂` on its own. What does the text end in before the
    fourth, and what had you sent by then?
    """
    for reply in ("🙂", "I 🙂 you", "🙂🙂🙃", "👩‍🚀 up"):
        told = read(step, FastTokenizer(), reply.encode())
        expect_text(told, HALF_LOST if told.drops_half else HOLD_BACK)


def test_cjk_and_accents_of_several_tokens_come_whole(step):
    """Characters of two and three tokens are sent once, whole, with the last of them.

    Hint: Between the first and the last token of a character, does what you remember stand for the text that was
    decoded, or for the text that was *sent*?
    """
    for reply in ("naïve café", "你好 世界 𠮷", "한국어 и русский", "e\u0301"):
        told = read(step, FastTokenizer(), reply.encode())
        expect_text(told, HALF_LOST if told.drops_half else HOLD_BACK)
    for reply in (
        "½ “ﬁ” ❤️",
        *(text.rstrip(UNFINISHED) for text in UNTOUCHABLE),
        "soft\u00adhyphen, \u202eleft\u202c",
        "\ufeffa mark\ufeff",
    ):
        expect_text(read(step, FastTokenizer(), reply.encode()), AS_IT_IS)


def test_no_chunk_is_empty(step):
    """A token without text of its own gives no chunk: an unfinished character, a special token, an EOS.

    Hint: Print the piece that a special token gives, and the first token of an emoji. What stands between it and your
    `yield`?
    """
    for reply in (b"Hello", "a🙂b".encode(), [*b"ab", HIDDEN, *b"cd", IM_END]):
        told = read(step, FastTokenizer(), reply)
        wrong = told.first_wrong(lambda at, told=told: not told.chunks[at].text)
        expect(
            wrong is None,
            call=told.call,
            got=told.shown(wrong),
            wanted=told.shown_wanted(wrong),
            why="an empty chunk says nothing, and some protocols take it for the end: yield only where there is text.",
        )


def test_special_tokens_are_never_shown(step):
    """No special token shows, listed in `all_special_ids` or not, inside the answer or at its end.

    Hint: Who decides in your code which token is special: the tokenizer, or a list of yours? Do all your decodes go the
    same way?
    """
    why = "a special token is no text: decode with skip_special_tokens=True, which knows them all, listed or not."
    for reply in ([*b"a", IM_START, *b"b", IM_END], [HIDDEN, *b"a", END_OF_TEXT, HIDDEN, *b"b"]):
        expect_text(read(step, FastTokenizer(), reply), why)
    why = "a special token may stand inside a character: that is whole when the text no longer ends in U+FFFD, however "
    why += "many ids it took, so count none."
    for special in (HIDDEN, IM_START):
        expect_text(read(step, FastTokenizer(), [*EMOJI[:2], special, *EMOJI[2:]]), why)


def test_what_looks_like_a_special_token_is_shown(step):
    """Added tokens that are not special, and ordinary text that looks like a special token, are text.

    Hint: Do you search the text, or look tokens up in a list? What becomes of an answer that is *about* special tokens?
    """
    why = "only ids make a token special: `<think>` is added, not special, and `<|im_end|>` in letters is text."
    for reply in ([THINK, *b"so", END_THINK, *b"yes"], [*b"write <|im_end|>", IM_END], list(b"<|endoftext|></s>")):
        told = read(step, FastTokenizer(), reply)
        expect_text(told, why)
        expect_in_time(told)
    tokenizer = FastTokenizer(backends.tool_backend())
    why = "`<|tool|>` is an added token like `<think>`, not a special one, whatever it looks like: it is text."
    told = read(step, tokenizer, [*b"a", tokenizer.id_of("<|tool|>"), *b"b"])
    expect_text(told, why)
    expect_in_time(told)


def test_an_answer_without_text_is_no_chunk(step):
    """An EOS at once gives an empty stream.

    Hint: Follow an answer whose first id is an EOS through your code, down to the last line. What is yielded?
    """
    for reply in ([IM_END], [HIDDEN, IM_END]):
        told = read(step, FastTokenizer(), reply, max_new_tokens=5)
        expect(
            not told.chunks,
            call=told.call,
            got=told.shown(),
            wanted="no chunk at all",
            why=RUNS_ON if told.runs_on else "the completion is empty, so there is nothing to send.",
        )


def test_a_character_cut_by_the_limit_is_sent_as_it_is(step):
    """Where the limit cuts a character, what is left of it is sent at the end, as the completion has it.

    Hint: Something has been held back, and the loop is over. Which line of yours runs then?
    """
    for reply in (b"Hi " + EMOJI[:3], b"Hi " + EMOJI[:1], EMOJI + EMOJI[:2], EMOJI[:2]):
        told = read(step, FastTokenizer(), reply)
        is_dropped = told.text != told.wanted and UNFINISHED not in read(step, FastTokenizer(), MEANT.encode()).text
        expect_text(told, DROPPED if is_dropped else FLUSH)


def test_a_character_cut_by_the_eos_is_sent_as_it_is(step):
    """Where the EOS cuts a character, what is left of it is sent at the end, as the completion has it.

    Hint: By how many ways does your loop end? Does what was held back meet the same line on each of them?
    """
    for reply in ([*b"Hi ", *EMOJI[:3], IM_END], [*EMOJI[:1], IM_END]):
        expect_text(read(step, FastTokenizer(), reply, max_new_tokens=len(reply) + 3), FLUSH)


def test_a_genuine_replacement_character_is_text(step):
    """A U+FFFD that the model means is text like any other, also several, and at the end.

    Hint: What does the next token do to a `�` that was unfinished, and what to one that the model meant? And what if
    none comes?
    """
    for reply in (
        MEANT,
        f"{UNFINISHED}{UNFINISHED}x",
        f"end {UNFINISHED}",
        f"{UNFINISHED}🙂",
        f"{UNFINISHED}\n",
        *(f"{UNFINISHED * marks}🙂" for marks in range(2, 12)),
    ):
        why = "U+FFFD is a character that a model can say: hold it back while it may be unfinished, but drop it never. "
        why += "That may take any number of tokens."
        expect_text(read(step, FastTokenizer(), reply.encode()), why)
    why = "as many tokens as it takes: nothing counts how long a text has ended in U+FFFD, so nothing gives up."
    told = read(step, FastTokenizer(), [*EMOJI[:2], *[HIDDEN] * 300, *EMOJI[2:]])
    if told.forwards < len(told.ids):
        why = f"the model said {told.forwards} tokens of {len(told.ids)}: only an EOS or the limit that was asked for "
        why += "ends the answer, no limit of your own, and no guard against a token that comes again and again."
    expect_text(told, why)


def test_tokens_that_end_one_character_and_begin_the_next(step):
    """Tokens whose bytes straddle characters lose and double nothing.

    Hint: After such a token the text ends in half a character again. Which ids, and which text, do you still hold then?
    """
    tokenizer = FastTokenizer(backends.straddling_backend())
    for reply in ("你好你好", "🙂🙂🙂", "é é é the é"):
        expect_text(read(step, tokenizer, tokenizer.ids(reply)), HOLD_BACK)


def test_the_leading_space_of_metaspace(step):
    """Where tokens carry their space in front (Llama's `▁`), each word keeps it, and the first one has none.

    Hint: Decode the ids of a second word by themselves, then behind those of the first. Where has the space gone?
    """
    why = "a token's text hangs on what comes before it: the first loses its space, the others keep theirs. Decode it "
    why += "together with those before it, never alone."
    for tokenizer in (FastTokenizer(backends.metaspace_backend()), FastTokenizer(backends.metaspace_backend(True))):
        for reply in ("the cat sat", " the cat  sat on", "the  mat. the cat\n the mat", "cat"):
            expect_text(read(step, tokenizer, tokenizer.ids(reply)), why)
    tokenizer = FastTokenizer(backends.metaspace_backend())
    expect_text(read(step, tokenizer, tokenizer.ids("the cat sat on " * 60)), why)
    words = tokenizer.ids("the cat sat")
    spelled = FastTokenizer(backends.metaspace_backend(True))
    expect_text(read(step, spelled, [*spelled.ids("the"), spelled.id_of("▁▁"), *spelled.ids("mat")]), why)
    tokenizer = FastTokenizer(backends.doubtful_backend())
    half = tokenizer.id_of(f"▁{UNFINISHED}")
    for reply in ([*words, half], [words[0], half, *words[1:]]):
        told = read(step, tokenizer, reply)
        expect_text(told, REST_ALONE if told.wanted.endswith(UNFINISHED) else why)
    why = "a special token has no text, and what follows it still hangs on what came before it: forget nothing there."
    expect_text(read(step, tokenizer, [words[0], tokenizer.id_of("<|im_start|>"), *words[1:]]), why)


def test_characters_spelled_in_byte_tokens(step):
    """With byte fallback (`<0xF0>` and so on) whole characters come out whole, side by side as well.

    Hint: What do the first two byte tokens of an emoji decode to, and how many `�` is it? Does your code look at the
    end of the text, or count?
    """
    tokenizer = FastTokenizer(backends.metaspace_backend(byte_fallback=True))
    expect_text(read(step, tokenizer, tokenizer.ids("the 🙂 cat")), HOLD_BACK)
    for reply in ("🙂🙂 üü", "ñ", "the " + "中🙂" * 20 + " cat"):
        expect_text(read(step, tokenizer, tokenizer.ids(reply)), BORDERS)


def test_spaces_are_not_cleaned_up(step):
    """A tokenizer that tidies spaces by itself is told not to.

    Hint: Print the text after each token of `the mat .` and see what is taken back. Which of your decodes leaves that
    choice to the tokenizer?
    """
    tokenizer = FastTokenizer(backends.word_level_backend(), clean_up=True)
    why = "clean-up rewrites what was sent (`mat .` to `mat.`): decode with clean_up_tokenization_spaces=False."
    reply = tokenizer.ids("the cat sat . do n't ! the mat 's")
    told = read(step, tokenizer, reply)
    if told.text != told.wanted and read(step, FastTokenizer(backends.word_level_backend()), reply).text == told.text:
        why = "this is no clean-up, since it happens to a tokenizer without one as well: a word's space hangs on the "
        why += "word before it, so decode it together with that."
    expect_text(told, why)


def test_ids_beyond_the_tokenizer_have_no_text(step):
    """An id that the model has and the tokenizer has not is no text, also in the middle of a character.

    Hint: What does decoding give for an id that the tokenizer has not, alone and between two halves of a character?
    Does your code ask anything else about it?
    """
    why = "a model's vocabulary is often wider than the tokenizer's: such an id is no text, and the answer goes on."
    for backend in (backends.byte_level_backend(), backends.metaspace_backend(byte_fallback=True)):
        tokenizer = FastTokenizer(backend)
        beyond, half = len(tokenizer) + 7, tokenizer.ids("🙂")
        reply = [*tokenizer.ids("a"), beyond, *half[:-2], beyond, *half[-2:], beyond, beyond, *tokenizer.ids("b")]
        try:
            told = read(step, tokenizer, reply)
        except (TypeError, LookupError, ValueError, OverflowError, AttributeError) as error:
            got, wanted = f"{type(error).__name__}: {error}", "the text of the other ids"
            call = (
                f"list(generate_stream(...)), where the model says {beyond}, and the tokenizer has {len(tokenizer)} ids"
            )
            raise CheckFailure(call=call, got=got, wanted=wanted, why=why) from error
        expect_text(told, why)


def test_bytes_that_make_no_character(step):
    """Random bytes and ids come out as the completion has them.

    Hint: Join your chunks, decode all ids, and look where the two part. Which ids were held back there, and what has
    become of them?
    """
    why = "joined, the chunks are the decoding of all ids, whatever they are: what is not sent yet is decoded again."
    for backend in (backends.byte_level_backend, backends.straddling_backend, backends.zero_eos_backend):
        for seed in range(8):
            random, tokenizer = Random(seed), FastTokenizer(backend())
            candidates = [random.randrange(len(tokenizer) + 20) for _ in range(30)] + tokenizer.ids("é 🙂 你")
            ids = [id for id in random.sample(candidates, 30) if id != tokenizer.eos_token_id]
            expect_text(read(step, tokenizer, ids), why)


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


@pytest.mark.stretch
def test_work_grows_with_the_answer_not_with_its_square(step):
    """The number of ids decoded grows linearly with the answer.

    Hint: How many ids do you decode at token 400, and how many of their characters went out long ago? How far back does
    the tokenizer have to see?
    """
    work = {}
    for tokens in (120, 480):
        told = read(step, FastTokenizer(), (PROSE * 10).encode()[:tokens])
        expect_text(told, "the text comes first, then the work.")
        work[tokens] = told.tokenizer.ids_decoded
    expect(
        work[480] <= 6 * work[120],
        call="list(generate_stream(...)) of 120 and of 480 tokens of prose",
        got=f"{work[120]} and {work[480]} ids decoded, {work[480] / max(work[120], 1):.0f} times as many",
        wanted="about 4 times as many for 4 times the tokens",
        why="decoding the whole answer at each token makes long answers slow: decode the ids not sent yet, with a few "
        "before them.",
    )


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
