"""What the answers of `generate_uncached` and `generate_cached` promise alike, judged in one place.

Each function is handed a solution's `generate` and raises a `CheckFailure` where it breaks the promise.
"""

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from types import ModuleType
from typing import Any

from kata.failure import CheckFailure, expect
from shared.generation import Generation
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from tests.doubles.backends import metaspace_backend
from tests.doubles.calls import Call, trace
from tests.doubles.fast_tokenizer import IM_END, FastTokenizer
from tests.doubles.loop_results import as_generation
from tests.doubles.loop_spies import step_1_giving
from tests.doubles.loop_verdicts import counted, expect_calls, expect_counts, expect_each, expect_ids
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import Script, close_rows, expected_reply, hashed

PROMPT = "Why is the sky blue?"

Generate = Callable[..., Generation]


def run(
    generate: Generate, model: Any, prompt: str = PROMPT, tokenizer: Any = None, **options: Any
) -> tuple[Generation, str]:
    """The result, strictly read, and the call as a learner would write it."""
    told = "".join(f", {name}={value!r}" for name, value in options.items())
    call = f"{name_of(generate)}(model, tokenizer, {prompt if len(prompt) < 40 else prompt[:40] + '...'!r}{told})"
    with _told_of_the_eos(model, call):
        result = as_generation(generate(model, tokenizer or FastTokenizer(), prompt, **options), call)
    if isinstance(model, ScriptedModel):
        _comes_from(model, result, call)
    return result, call


@contextmanager
def _told_of_the_eos(model: Any, call: str) -> Iterator[None]:
    """A TypeError in a line of this block that speaks of the EOS is a verdict."""
    try:
        yield
    except TypeError as error:
        if "eos" not in (traceback.extract_tb(error.__traceback__)[-1].line or ""):
            raise
        eos = model.generation_config.eos_token_id
        why = f"the EOS of a generation config may be an int, a list or None, and is {eos} here: "
        why += "`stop_token_ids(model, tokenizer)` gives the set of all, whatever it is."
        raise CheckFailure(call=call, got=f"TypeError: {error}", wanted="an answer", why=why) from error


def _comes_from(model: ScriptedModel, result: Generation, call: str) -> None:
    """The ids are those of this call, and only the new ones."""
    tokens, why = (
        counted(len(result.output_ids), "token"),
        "each is what a call of the model says; one that was kept is of an earlier request.",
    )
    got, wanted = f"{tokens} without a call of the model", "a call of the model for each token"
    expect(bool(model.calls) or not result.output_ids, call=call, got=got, wanted=wanted, why=why)
    asked = model.calls[0].ids if model.calls else []
    is_new = len(asked) < 2 or result.output_ids[: len(asked)] != asked
    why = "output_ids are the new ids alone: keep a list of them beside the sequence that the model reads."
    call, got = f"{call}.output_ids", f"{counted(len(asked), 'id')} of the prompt before the new ones"
    expect(is_new, call=call, got=got, wanted="the new ids alone", why=why)


def name_of(generate: Generate) -> str:
    """The function's name; a callable object has that of its class."""
    return getattr(generate, "__name__", type(generate).__name__)


def prompt_ids(prompt: str = PROMPT) -> list[int]:
    return FastTokenizer().prompt_ids(prompt)


def stopping_after(tokens: int, stop_id: int, ids: Sequence[int] | None = None) -> Script:
    """Letters, one `stop_id` as token number `tokens`, and letters again, as if nothing had been said.

    ids: the prompt's, where it is not PROMPT's.
    """
    letters, at = hashed(), len(prompt_ids() if ids is None else ids) + tokens - 1
    return lambda seen: stop_id if len(seen) == at else letters(seen)


def goes_through_step_1(load: Callable[..., ModuleType], name: str) -> None:
    """load: the fixture; name: the function's."""
    for prompt in ("  Why, Rene\u0301:\r\n\u00bd \ufb01?\n", ""):
        _goes_through_step_1(load, name, prompt)


def _goes_through_step_1(load: Callable[..., ModuleType], name: str, prompt: str) -> None:
    spy = step_1_giving(load(1), [5, 6, 7])
    model, tokenizer = ScriptedModel(hashed()), FastTokenizer()
    generate = getattr(load(under={1: spy}), name)
    try:
        _, call = run(generate, model, prompt, tokenizer, max_new_tokens=2)
    except RequestRefused as error:
        why = "only a limit below 1 or beyond the context is refused: any prompt has ids, the chat format's at least."
        call = f"{name}(model, tokenizer, {prompt!a}, max_new_tokens=2)"
        told = f"RequestRefused: {error}"
        raise CheckFailure(call=call, got=told, wanted="2 tokens", why=why) from error
    own = {None, getattr(spy, "DEFAULT_SYSTEM_PROMPT", None)}
    asked = [(each[0] is tokenizer, each[1] is model, each[2], each[3] in own) for each in spy.asked]
    why = "step 1 knows the chat format: hand it tokenizer, model and prompt, once, and neither strip nor add "
    why += "anything, nor write it in another form."
    got = f"prepare_inputs called {len(asked)} times: {spy.asked!a}"
    if not asked and model.calls:
        is_bare = tokenizer.text(model.calls[0].ids).strip() == prompt.strip()
        got = f"prepare_inputs not called, and the model got {'the bare prompt' if is_bare else 'ids made elsewhere'}"
    wanted = f"prepare_inputs(tokenizer, model, {prompt!a})"
    expect(asked == [(True, True, prompt, True)], call=call, got=got, wanted=wanted, why=why)
    why = "the model's first call takes the ids that step 1 returned, as they are."
    first = model.calls[:1]
    got = "no call of the model"
    expect(bool(first), call=call, got=got, wanted="a call with what step 1 returned, [5, 6, 7]", why=why)
    expect_ids(first[0].ids, [5, 6, 7], call=f"the model's first call in {call}", why=why, calls=first)
    model.calls.clear()
    run(generate, model, prompt, tokenizer, max_new_tokens=2)
    times = f"prepare_inputs called {len(spy.asked) - 1} times in the second of two equal calls"
    why = "each call stands for itself: what step 1 returned is kept for no other request."
    wanted = "called once in each"
    expect(len(spy.asked) == 2, call=call, got=times, wanted=wanted, why=why)


def says_what_the_model_says(generate: Generate) -> None:
    for seed in (1, 2, 3):
        model = ScriptedModel(hashed(seed))
        result, call = run(generate, model, max_new_tokens=16)
        why = "each token is the best of the last row of logits, the newest position's: `logits[:, -1, :]`."
        wanted = expected_reply(model.script, prompt_ids(), 16)
        expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why, calls=model.calls)
    colder = SamplingParams(temperature=0.0, top_p=0.9), SamplingParams(-1.0, top_k=9)
    for params in (None, SamplingParams(), *colder, SamplingParams(temperature=1.5, top_k=1)):
        ids, call, right = _said_of_close_rows(generate, params)
        is_drawn = ids != right and any(_said_of_close_rows(generate, params)[0] != ids for _ in range(3))
        why = "no params, a temperature of 0 or below, or top_k=1 mean greedy: always the best token, nothing is drawn."
        if ids != right and not is_drawn:
            why = "nothing is drawn here, and yet another id than the best is taken: the logits count as the model has "
            why += "them, all of them, not rounded to 16 bits, cut to the tokenizer's vocabulary, or weighed by what "
            why += "its generation config says (suppress_tokens, repetition_penalty)."
        expect_ids(ids, right, call=f"{call}.output_ids", why=why, varies=is_drawn)


def _said_of_close_rows(generate: Generate, params: SamplingParams | None) -> tuple[list[int], str, list[int]]:
    """The ids, the call and the right ids; the generation config bans the first two of them."""
    right = [int(close_rows((0,) * (len(prompt_ids()) + at)).argmax()) for at in range(8)]
    model = ScriptedModel(close_rows)
    model.generation_config.suppress_tokens, model.generation_config.bad_words_ids = right[:1], [right[1:2]]
    result, call = run(generate, model, max_new_tokens=8, params=params)
    return result.output_ids, call, right[: len(result.output_ids)]


def makes_exactly(
    generate: Generate,
    new_tokens: int,
    prompt: str = PROMPT,
    script: Script | None = None,
    why: str = "",
    tokenizer: FastTokenizer | None = None,
    context: int | None = 4096,
) -> tuple[Generation, str, ScriptedModel]:
    """The result, the call and the model, for further questions. why: what there is to say of too few tokens."""
    model = ScriptedModel(script or hashed(), context=context)
    result, call = run(generate, model, prompt, tokenizer, max_new_tokens=new_tokens)
    expect_counts(model.calls, len(result.output_ids), new_tokens, call=call, why=why)
    return result, call, model


def copes_with_a_long_prompt(generate: Generate) -> tuple[Sequence[Call], str]:
    """The calls of the model in a long answer, and the solution's call, for further questions."""
    prompt, words = "Why is the sky blue? " * 101, FastTokenizer(metaspace_backend())
    word = words.id_of("\u2581the")
    why = "only an EOS or the caller's limit ends an answer: no limit of your own, and no token that comes again."
    result, call, model = makes_exactly(generate, 520, script=lambda seen: word, why=why, tokenizer=words)
    long_answer = model.calls, call
    seen, first = [len(each.seen) for each in model.calls], len(words.prompt_ids(PROMPT))
    forgotten = next((at for at, length in enumerate(seen) if length != first + at), None)
    why = "however long an answer is, each token hangs on all that came before: none is left out, and none cut off."
    got, wanted = f"{seen[forgotten or 0]} ids seen", f"{first + (forgotten or 0)} ids seen"
    expect_calls(model.calls, forgotten, call=call, got=got, wanted=wanted, why=why)
    again = "here the model says one word again and again, and so does the answer: no token is banned, or made less "
    again += "likely, because it came before."
    expect_ids(result.output_ids, [word] * 520, call=f"{call}.output_ids", why=again, calls=model.calls)
    alone = "decode all new ids at once, however many they are, and no others: a piece by itself, or what stands "
    alone += "behind a prompt, can have another text, here another number of spaces."
    got = f"{result.text.count(' ')} spaces in {len(result.text)} characters, {result.text[-20:]!r} at the end"
    wanted = words.text(result.output_ids)
    told = f"{wanted.count(' ')} spaces in {len(wanted)} characters, {wanted[-20:]!r} at the end"
    expect(result.text == wanted, call=f"{call}.text", got=got, wanted=told, why=alone)
    result, call, model = makes_exactly(generate, 80, prompt, why=why, context=None)
    first, why = model.calls[:1], "however long a prompt is, all of it goes in: nothing is cut off."
    expect_ids(first[0].ids, prompt_ids(prompt), call=f"the model's first call in {call}", why=why, calls=first)
    masks, right = [each.mask for each in model.calls], [[1] * len(each.seen) for each in model.calls]
    why = "however long a sequence is, the mask covers all of it."
    expect_each(model.calls, masks, right, call=call, why=why, of="attention_mask")
    why = "a long answer to a long prompt is made like a short one: nothing is cut off, and no token left out."
    wanted = expected_reply(hashed(), prompt_ids(prompt), 80)
    expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why, calls=model.calls)
    return long_answer


def is_not_ended_by_the_prompt(generate: Generate) -> None:
    model = ScriptedModel(hashed())
    result, call = run(generate, model, max_new_tokens=6)
    why = "the chat template ends each turn with <|im_end|>, which is an EOS: look for it in new tokens only, never in "
    why += "the prompt."
    if len(run(generate, ScriptedModel(hashed()), max_new_tokens=200)[0].output_ids) > 1 >= len(result.output_ids):
        why = "max_new_tokens counts the new tokens alone, whatever the prompt's length is."
    elif len(result.output_ids) <= 1:
        tokenizer = FastTokenizer()
        tokenizer.eos_token_id = 7  # which is in no prompt
        if len(run(generate, ScriptedModel(hashed()), tokenizer=tokenizer, max_new_tokens=6)[0].output_ids) <= 1:
            why = "a token that is no EOS ends nothing: is `in` meant, where `not in` stands?"
    expect(
        len(result.output_ids) > 1,
        call=call,
        got=f"{counted(len(result.output_ids), 'token')}, although the model never said an EOS",
        wanted="6 tokens",
        why=why,
        trace=trace(model.calls, len(model.calls)),
    )


def stops_at_every_eos(generate: Generate) -> None:
    both = [10, 0]
    cases = (
        (both, 10, 4),
        (both, 0, 4),
        (both, IM_END, 4),
        (10, 10, 4),
        (10, IM_END, 4),
        (None, IM_END, 4),
        (both, 10, 1),
    )
    for configured, stop_id, at in cases:
        model = ScriptedModel(stopping_after(at, stop_id), eos_token_id=configured)
        result, call = run(generate, model, max_new_tokens=12)
        first = ", the first one" * (at == 1)
        why = f"the answer ends with id {stop_id}, its token {at}{first}: the EOS of the model's generation config is "
        why += f"{configured}, the tokenizer's {IM_END}; any of them ends it, is kept as the last id, and nothing "
        why += "comes after it."
        wanted = expected_reply(model.script, prompt_ids(), 12, {stop_id})
        if result.output_ids[:at] not in (wanted, wanted[:-1]):
            why += " An EOS is taken where it is the best, neither left out nor put off (by min_new_tokens in the "
            why += "generation config, say)."
        elif len(result.output_ids) > at > 1:
            why += f" {_where_it_stops(generate)}"
        expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why, calls=model.calls)


def _where_it_stops(generate: Generate) -> str:
    """In a sentence, which EOS ends an answer: with the list in this order, and in the other one."""
    told = []
    for configured in ([10, 0], [0, 10]):
        ends = []
        for stop_id in (*configured, IM_END):
            model = ScriptedModel(stopping_after(4, stop_id), eos_token_id=configured)
            ends += [str(stop_id)] * (len(run(generate, model, max_new_tokens=12)[0].output_ids) <= 4)
        told.append(f"of {configured} and {IM_END} yours stops at {' and '.join(ends) or 'none'}")
    never = " A tensor is never found among ints: if you do look, take `.item()` of the token first."
    is_never = all(each.endswith("at none") for each in told)
    return f"Tried one by one: {'; '.join(told)}.{never * is_never}"


def says_why_it_ended(generate: Generate) -> None:
    cases = ((12, False, "stop"), (4, False, "stop"), (3, False, "length"), (4, True, "length"), (12, True, "length"))
    for stop_id, (limit, ignore_eos, wanted) in product((IM_END, 10), cases):
        model = ScriptedModel(stopping_after(4, stop_id), eos_token_id=[0, 10])
        result, call = run(generate, model, max_new_tokens=limit, params=SamplingParams(ignore_eos=ignore_eos))
        expect(
            result.finish_reason == wanted,
            call=f"{call}.finish_reason",
            got=repr(result.finish_reason),
            wanted=repr(wanted),
            why=f"'stop' where an EOS ended it (here token 4, {stop_id}; the tokenizer's is {IM_END}, the model's are "
            "0 and 10), also as the last permitted token; 'length' otherwise, and always where EOS is ignored.",
        )


def can_ignore_eos(generate: Generate) -> None:
    model = ScriptedModel(stopping_after(4, IM_END), eos_token_id=[10])
    result, call = run(generate, model, max_new_tokens=12, params=SamplingParams(ignore_eos=True))
    why = "with ignore_eos an EOS is a token like any other, kept and fed back: only the limit ends the answer."
    wanted = expected_reply(model.script, prompt_ids(), 12)
    expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why, calls=model.calls)


def keeps_the_limit(generate: Generate) -> None:
    model, tokenizer = ScriptedModel(lambda seen: (2, 0, 1, 97)[len(seen) % 4]), FastTokenizer()
    tokenizer.eos_token = tokenizer.eos_token_id = None
    result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=12)
    why = "here neither model nor tokenizer has an EOS, so only the limit ends the answer: no id is an EOS by default."
    wanted = expected_reply(model.script, prompt_ids(), 12)
    expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=why, calls=model.calls)
    for options, in_params, wanted in (({}, 5, 5), (_limit(3), 5, 3), (_limit(7), 5, 7), (_limit(1), 5, 1)):
        model = ScriptedModel(hashed(), most_calls=30)
        params = SamplingParams(max_tokens=in_params)
        with _told_of_the_default(generate, model, options, params):
            result, call = run(generate, model, params=params, **options)
        expect(
            len(result.output_ids) == wanted,
            call=call,
            got=counted(len(result.output_ids), "token"),
            wanted=counted(wanted, "token"),
            why="max_new_tokens wins where it is given, larger or smaller; where it is None, or left out, "
            "params.max_tokens counts, whatever the generation config says.",
            trace=trace(model.calls, min(len(model.calls), wanted)),
        )
    _takes_them_by_place(generate)


def _limit(max_new_tokens: int) -> dict[str, int]:
    return {"max_new_tokens": max_new_tokens}


@contextmanager
def _told_of_the_default(
    generate: Generate, model: ScriptedModel, options: dict[str, int], params: SamplingParams
) -> Iterator[None]:
    """A call that goes on and on has another limit than its params' where none was handed in."""
    try:
        yield
    except CheckFailure:
        if options or len(model.calls) <= model.most_calls:
            raise
        why = "left out, max_new_tokens is None, and params.max_tokens counts: a default of your own would win over it."
        call, wanted = f"{name_of(generate)}(model, tokenizer, {PROMPT!r}, params={params})", "5 tokens"
        got = f"more than {model.most_calls} calls of the model"
        raise CheckFailure(call=call, got=got, wanted=wanted, why=why, trace=trace(model.calls[:3])) from None


def _takes_them_by_place(generate: Generate) -> None:
    params = SamplingParams(max_tokens=5)
    call = f"{name_of(generate)}(model, tokenizer, {PROMPT!r}, 7, {params})"
    why = "prompt, max_new_tokens, params: the contract has them in this order, and some callers hand them in by place."
    try:
        got = len(generate(ScriptedModel(hashed(), most_calls=30), FastTokenizer(), PROMPT, 7, params).output_ids)
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
        raise CheckFailure(call=call, got=got, wanted="7 tokens", why=why) from error
    expect(got == 7, call=call, got=counted(got, "token"), wanted="7 tokens", why=why)
