"""What goes into `generate_uncached` and `generate_cached`, and the tokens that come out, judged in one place.

Each function is handed a solution's `generate` and raises a `CheckFailure` where it breaks the promise.
"""

from collections.abc import Callable, Sequence
from types import ModuleType

from kata.failure import CheckFailure, expect
from shared.generation import Generation
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from tests.doubles.backends import metaspace_backend
from tests.doubles.calls import Call
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.loop_runs import PROMPT, Generate, prompt_ids, run
from tests.doubles.loop_spies import step_1_giving
from tests.doubles.loop_verdicts import expect_calls, expect_counts, expect_each, expect_ids
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import Script, close_rows, expected_reply, hashed


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
    if not model.calls:
        why = "the loop never ran: the limit counts new tokens, and the prompt's are no part of it."
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
        ids, call, right, calls = _said_of_close_rows(generate, params)
        wrong = next((at for at, each in enumerate(calls) if each.autocast), None)
        why = "under autocast a model's logits are rounded to 16 bits: they count as the model has them."
        expect_calls(calls, wrong, call=call, got="torch.autocast", wanted="the model's own type", why=why)
        is_drawn = ids != right and any(_said_of_close_rows(generate, params)[0] != ids for _ in range(3))
        why = "no params, a temperature of 0 or below, or top_k=1 mean greedy: always the best token, nothing is drawn."
        shown = [each.seen[len(prompt_ids()) :] for each in calls]
        lost = [token for token in shown[-1] if token not in ids] if shown else []
        is_short = len(ids) < len(calls) and [token for token in shown[-1] if token in ids] == ids[:-1]
        if lost and is_short:
            why = f"id {lost[0]} was taken, and shown to the model, and is missing here: output_ids hold every id, the "
            why += "special ones too. Only the text is without them."
        elif any(seen != tuple(ids[:at]) for at, seen in enumerate(shown)):
            why = "the model was not shown the ids that were taken: append each token's own id, for text that is "
            why += "decoded and encoded again gives other ids."
        elif ids != right and not is_drawn:
            why = "nothing is drawn here, and yet another id than the best is taken: the logits count as the model has "
            why += "them, all of them, not rounded to 16 bits, cut to the tokenizer's vocabulary, or weighed by what "
            why += "its generation config says (suppress_tokens, repetition_penalty)."
        expect_ids(ids, right, call=f"{call}.output_ids", why=why, varies=is_drawn)


def _said_of_close_rows(
    generate: Generate, params: SamplingParams | None
) -> tuple[list[int], str, list[int], Sequence[Call]]:
    """The ids, the call, the right ids, and the model's calls; the generation config bans the first two of them."""
    right = [int(close_rows((0,) * (len(prompt_ids()) + at)).argmax()) for at in range(8)]
    model = ScriptedModel(close_rows)
    model.generation_config.suppress_tokens, model.generation_config.bad_words_ids = right[:1], [right[1:2]]
    result, call = run(generate, model, max_new_tokens=8, params=params)
    return result.output_ids, call, right[: len(result.output_ids)], model.calls


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
