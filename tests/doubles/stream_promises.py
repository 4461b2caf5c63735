"""What a stream promises of the tokens under it: where they end, how they are drawn. Judged apart from the chunks.

Each function is handed a solution's step 6 and raises a `CheckFailure` where it breaks the promise.
"""

from collections.abc import Callable
from types import ModuleType

import torch

from kata.failure import expect
from shared.sampling_params import SamplingParams
from shared.stopping import stop_token_ids
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.loop_spies import inputs_of
from tests.doubles.loop_verdicts import counted, expect_ids
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.stream_record import Told
from tests.doubles.stream_texts import short
from tests.doubles.streams import PROMPT, answering, called, read
from tests.doubles.texts import UNTOUCHABLE


def takes_the_prompt_word_for_word(step: ModuleType) -> None:
    told = read(step, FastTokenizer(), b"Hello")
    calls, prompt = told.model.calls[:1], told.tokenizer.prompt_ids(PROMPT)
    why = "step 1 knows the chat format: hand it the prompt as it is, spaces and line ends included."
    expect_ids(calls[0].ids if calls else [], prompt, call=f"the first forward of {told.call}", why=why, calls=calls)

    uncut = "this prompt fits, long as it is: nothing of it is cut off, neither letters nor ids. `check_fits` refuses "
    uncut += "what does not fit."
    untidied = (
        "this prompt has line ends of each kind, and letters that look like others: what somebody wrote goes in as "
    )
    untidied += "it is, not normalised, not tidied."
    for text, why in (("".join(f"{number} " for number in range(700)), uncut), ("\n".join(UNTOUCHABLE), untidied)):
        tokenizer, model = FastTokenizer(), ScriptedModel(lambda _: 97)
        list(step.generate_stream(model, tokenizer, text, max_new_tokens=1))
        calls, prompt = model.calls[:1], tokenizer.prompt_ids(text)
        call = f"the first forward of list(generate_stream(model, tokenizer, {short(text)}, max_new_tokens=1))"
        expect_ids(calls[0].ids if calls else [], prompt, call=call, why=why, calls=calls)


def goes_one_token_a_step(told: Told) -> None:
    prompt, calls = told.tokenizer.prompt_ids(PROMPT), told.model.calls
    fed = [prompt, *([token] for token in told.ids[:-1])]
    cached = [0, *range(len(prompt), len(prompt) + len(fed))]
    right = [
        call.ids == ids and call.cached == past and call.mask in (None, [1] * (past + len(ids)))
        for call, ids, past in zip(calls, fed, cached, strict=False)
    ]
    wrong = next((at for at, fine in enumerate(right) if not fine), len(right))
    why = (
        "streaming changes when text goes out, not what the model does: take the tokens from step 4's `decode_tokens`."
    )
    if 0 < wrong < len(calls) and not calls[wrong].cached:
        why = f"call {wrong + 1} begins anew, without the cache, and all before it goes through the model again. {why}"
    expect(
        all(right) and len(calls) == len(fed),
        call=told.call,
        got=f"{len(calls)} forwards",
        wanted=f"{len(fed)} forwards: the prompt, then each token alone, with the cache and a mask as long as both",
        why=why,
        trace=trace(calls, wrong),
    )


def works_again_for_the_same_question(step: ModuleType) -> None:
    tokenizer = FastTokenizer()
    model = answering(tokenizer, b"Hello")
    for _ in range(2):
        before = len(model.calls)
        told = read(step, tokenizer, b"Hello", model)
        forwards = len(model.calls) - before
        expect(
            forwards == len(told.ids),
            call=f"{told.call}{', a second time' * bool(before)}",
            got=f"{counted(forwards, 'forward')} for it",
            wanted=f"{counted(len(told.ids), 'forward')}, as for any answer",
            why="each stream is made by the model: no answer of an earlier call is kept and told again.",
        )


def hands_on_the_params(step: ModuleType) -> None:
    tokenizer, params = FastTokenizer(), SamplingParams(temperature=0.9, top_k=2)
    prompt = len(tokenizer.prompt_ids(PROMPT))
    torch.manual_seed(1)
    text = "".join(step.generate_stream(ScriptedModel(favourites), tokenizer, PROMPT, max_new_tokens=40, params=params))
    rows = [favourites(tuple(range(prompt + at))) for at in range(len(text))]
    ranks = {int((row > row[min(ord(letter), 299)]).sum()) for row, letter in zip(rows, text, strict=True)}
    expect(
        len(text) == 40 and ranks == {0, 1},  # of right solutions, one in 2 ** 38 draws the same rank 40 times
        call=f"''.join({called(max_new_tokens=40, params=params)})",
        got=f"{len(text)} letters, of ranks {sorted(ranks)}",
        wanted="40 letters, of ranks [0, 1]: the best and the second",
        why="temperature and top_k belong to the request: hand its `params` to the token loop.",
    )
    params = SamplingParams(temperature=0.0005)
    text = "".join(step.generate_stream(ScriptedModel(twins), tokenizer, PROMPT, max_new_tokens=40, params=params))
    expect(
        len(text) == 40 and set(text) == {"a", "b"},  # of right solutions, one in 2 ** 39 draws one letter 40 times
        call=f"''.join({called(max_new_tokens=40, params=params)}), where 'a' and 'b' are equally likely each time",
        got=repr(text),
        wanted="40 letters, some of them 'a', some 'b'",
        why="a small temperature is a temperature: only 0 and below is greedy, and the sampler of step 2 knows it.",
        varies=True,
    )
    text = "".join(step.generate_stream(ScriptedModel(favourites), tokenizer, PROMPT, max_new_tokens=40))
    best = "".join(chr(int(favourites(tuple(range(prompt + at))).argmax())) for at in range(40))
    expect(
        text == best,
        call=f"''.join({called(max_new_tokens=40)})",
        got=repr(text),
        wanted=f"{best!r}: the best each time",
        why="no params means `SamplingParams()`, which is greedy: nothing is drawn.",
        varies=True,
    )


def favourites(seen: tuple[int, ...]) -> torch.Tensor:
    """A script: logits of letters, close together; which are the two best changes from place to place."""
    row = torch.arange(300) / 300 - 100  # the others, no two alike, so that a top_k of any size leaves some out
    row[97:123] = 4.0
    row[97 + len(seen) % 26], row[97 + (len(seen) + 11) % 26] = 5.0, 4.9
    return row


def twins(_: tuple[int, ...]) -> torch.Tensor:
    """A script: two letters, and neither is the better one."""
    row = torch.full((300,), -100.0)
    row[97:99] = 5.0
    return row


def draws_what_the_cached_path_draws(step: ModuleType, load: Callable[..., ModuleType]) -> None:
    cached = load(4).generate_cached
    by_rank = SamplingParams(temperature=1.2, top_k=20)
    uncut = SamplingParams(temperature=50.0, ignore_eos=True)  # any id may come, an EOS first in one of 500 answers
    by_share = SamplingParams(temperature=1.2, top_p=0.5)
    for params in (by_rank, uncut, by_share):
        texts = {}
        call = f"''.join({called(max_new_tokens=16, params=params)})"

        def streamed(params: SamplingParams = params) -> str:
            return "".join(
                step.generate_stream(
                    ScriptedModel(favourites), FastTokenizer(), PROMPT, max_new_tokens=16, params=params
                )
            )

        if params is by_share:
            try:
                cached(ScriptedModel(favourites), FastTokenizer(), PROMPT, 16, params)
            except Exception:
                continue  # top_p is a star of step 2, and may be wrong there, or still to be written
        for seed in (1, 2, 3):
            torch.manual_seed(seed)
            wanted = cached(ScriptedModel(favourites), FastTokenizer(), PROMPT, 16, params).text
            after = torch.get_rng_state()
            torch.manual_seed(seed)
            text = streamed()
            texts[text] = wanted, torch.equal(torch.get_rng_state(), after)
        why = "the seed is the caller's: nothing in here sets it again."
        got = f"{len(texts)} text{'s' * (len(texts) > 1)}"
        expect(len(texts) == 3, call=f"{call}, each time after another seed", got=got, wanted="three texts", why=why)
        both = [streamed(), streamed()]
        expect(
            both[0] != both[1],
            call=f"{call}, twice after one torch.manual_seed",
            got="the same text twice",
            wanted="two texts",
            why="the draws move the global generator on: whoever puts its state back makes every answer the same.",
        )
        wrong = ((text, *told) for text, told in texts.items() if text != told[0])
        text, wanted, same_draws = next(wrong, ("", "", True))
        why = (
            "both paths draw from torch's global generator, one draw a token: look for a second draw or another order."
        )
        if same_draws:
            why = "as many random numbers were drawn as there, for other odds: the request's params go to the token "
            why += "loop whole, as they are (temperature, top_k, top_p)."
        expect(
            text == wanted,
            call=f"torch.manual_seed(seed); {call}",
            got=repr(text),
            wanted=f"{wanted!r}, which generate_cached gave",
            why=why,
            varies=True,
        )


def says_what_the_library_says(step: ModuleType) -> None:
    from tests.doubles.tiny_models import library_greedy, tiny_llama, tiny_qwen3
    from tests.doubles.tokenizers import byte_level, byte_level_with_merges

    for make, seed, tokenizer in (
        (tiny_qwen3, 1, byte_level()),
        (tiny_qwen3, 2, byte_level_with_merges()),
        (tiny_llama, 3, byte_level()),
    ):
        model = make(seed)
        inputs = inputs_of(FastTokenizer(tokenizer.backend_tokenizer).prompt_ids(PROMPT))
        ids = library_greedy(model, inputs, 24, stop_token_ids(model, tokenizer))
        wanted = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        text = "".join(step.generate_stream(model, tokenizer, PROMPT, max_new_tokens=24))
        expect(
            text == wanted,
            call=f"''.join({called(max_new_tokens=24)}), the model is {make.__name__}({seed})",
            got=repr(text),
            wanted=repr(wanted),
            why="the double is satisfied, the model is not: look at cache, mask and positions in the token loop.",
            varies=True,
        )
