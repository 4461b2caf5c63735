"""Where an answer of `generate_uncached` or `generate_cached` ends, at an EOS or the limit, and why it says it did.

Each function is handed a solution's `generate` and raises a `CheckFailure` where it breaks the promise.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import IM_END, FastTokenizer
from tests.doubles.loop_runs import PROMPT, Generate, name_of, prompt_ids, run, stopping_after
from tests.doubles.loop_verdicts import counted, expect_ids
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import expected_reply, hashed


def is_not_ended_by_the_prompt(generate: Generate) -> None:
    last = prompt_ids()[-1]
    model = ScriptedModel(hashed(), eos_token_id=last)
    result, call = run(generate, model, max_new_tokens=6)
    why = "the chat template ends each turn with <|im_end|>, which is an EOS, and here the prompt's last id is one as "
    why += "well: look for it in new tokens only, never in the prompt."
    other = ScriptedModel(hashed(), eos_token_id=last)
    if len(run(generate, other, max_new_tokens=200)[0].output_ids) > 1 >= len(result.output_ids):
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
        (10, IM_END, 1),
        (None, IM_END, 4),
        (both, 10, 1),
    )
    for configured, stop_id, at in cases:
        model = ScriptedModel(stopping_after(at, stop_id), eos_token_id=configured)
        result, call = run(generate, model, max_new_tokens=12)
        why = f"the answer ends with id {stop_id}, its token {at}: the EOS of the model's generation config is "
        why += f"{configured}, the tokenizer's {IM_END}; any of them ends it, is kept as the last id, and nothing "
        why += "comes after it."
        why += " It is the first token: an answer may be an EOS alone, which is not thrown away." * (at == 1)
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
    if IM_END not in result.output_ids and len(result.output_ids) > 4:
        why += " Nor is it ruled out of the logits, or drawn again."
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
