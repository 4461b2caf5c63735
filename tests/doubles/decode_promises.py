"""What `decode_tokens` promises, judged on a scripted model.

Each function is handed a solution's step 4 and raises a `CheckFailure` where it breaks the promise.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from threading import enumerate as enumerate_threads
from types import ModuleType

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import IM_END
from tests.doubles.loop_results import take
from tests.doubles.loop_runs import prompt_ids, run, stopping_after
from tests.doubles.loop_spies import inputs_of
from tests.doubles.loop_verdicts import (
    counted,
    expect_calls,
    expect_counts,
    expect_each,
    expect_ids,
    told_with_use_cache,
)
from tests.doubles.scripted_model import Script, ScriptedCache, ScriptedModel
from tests.doubles.scripts import expected_reply, hashed, tricky

IDS = [84, 104, 101, IM_END, 10, 115, 107, 121, 63]
LONG = [1 + at * at % 250 for at in range(1100)]
OPAQUE = "the cache is opaque: hand it back as it is, neither copied nor asked. How long it is, your mask knows."
SLIPS = (  # what Python says, and what is behind it
    ("raised StopIteration", "`return` ends a generator: a StopIteration raised inside is an error for its reader."),
    (
        "KeyError: '(input_ids|attention_mask)'",
        "the inputs belong to the caller, and stay as they were: read them, take nothing out.",
    ),
    (
        "no attribute '(input_ids|attention_mask)'",
        "`inputs` is a mapping, of whatever kind: `inputs['input_ids']` reads it.",
    ),
    ("Cache' object", OPAQUE),
    ("RecursionError", "a function that calls itself for each token ends after some hundred of them: write a loop."),
    ("'(tuple|list)'", "stop_ids may be any collection, not just a set: ask `token in stop_ids`."),
)
CONFIG_EOS, CONFIG_PAD = 21, 23  # ids that only the model's config names


class TrueCache(ScriptedCache):
    """One that says yes when it is asked for its truth."""

    def __bool__(self) -> bool:
        return True


class ModelWithATrueCache(ScriptedModel):
    """For those who ask."""

    def _keep(self, given: object | None, seen: tuple[int, ...], new: int) -> object:
        return TrueCache(super()._keep(given, seen, new).seen)


class SealedCache(ScriptedCache):
    """One that tells nothing of itself, and of which there is no second one."""

    get_seq_length = None

    def __reduce_ex__(self, _: object) -> str:
        raise TypeError("this cache cannot be copied")


class ModelWithASealedCache(ScriptedModel):
    """For those who look into the cache."""

    def _keep(self, given: object | None, seen: tuple[int, ...], new: int) -> object:
        kept = super()._keep(given, seen, new)
        is_the_models = given is None or isinstance(given, ScriptedCache)
        return SealedCache(kept.seen) if is_the_models else kept


def decode(
    step: ModuleType,
    model,
    new_tokens: int = 6,
    ids: Sequence[int] = IDS,
    params: SamplingParams | None = None,
    stop_ids: Collection[int] = frozenset(),
) -> tuple[Iterator[int], str]:
    """The iterator that decode_tokens returns, none of it taken, and the call as a learner would write it."""
    told = set(stop_ids) if isinstance(stop_ids, frozenset) else stop_ids  # {7, 10}, or set()
    call = f"decode_tokens(model, inputs, {new_tokens}, {params or 'SamplingParams()'}, {told})"
    inputs = dict(inputs_of(ids))
    own = frozenset(stop_ids) if isinstance(stop_ids, set) else stop_ids
    tokens = step.decode_tokens(model, inputs, new_tokens, params or SamplingParams(), own)
    return tokens, call


@contextmanager
def slips_named(call: str) -> Iterator[None]:
    """An error of the solution that a well-known slip explains is a failure that names it."""
    try:
        yield
    except CheckFailure:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        why = next((why for pattern, why in SLIPS if re.search(pattern, told)), None)
        if why is None:
            raise
        raise CheckFailure(call=call, got=told, wanted="its tokens", why=why) from error


def decoded(step: ModuleType, model, new_tokens: int = 6, **options) -> tuple[list[int], str]:
    """All ids of decode_tokens, and the call. It is asked for three more than there should be."""
    with slips_named(f"list(decode_tokens(model, inputs, {new_tokens}, ...))"):
        tokens, call = decode(step, model, new_tokens, **options)
        taken = take(tokens, new_tokens + 3, call)
        why = (
            "this step is about writing the loop that the library's generate() hides: no streamer is needed, no thread."
        )
        own_loop = getattr(model, "own_loop", False)
        got, wanted = "model.generate(..., streamer=...), the library's own loop", "a loop of your own over model(...)"
        expect(not own_loop, call=call, got=got, wanted=wanted, why=why)
        return taken, call


def none_kept(model: ScriptedModel, ids: Sequence[int], why: str) -> str:
    """The why, or where the prompt did not go in first, that something is left of an earlier call."""
    if model.calls and model.calls[0].ids == ids:
        return why
    return "the prompt did not go in: something is left of an earlier call, a cache or an answer, and nothing may be."


def prefills_the_whole_prompt(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    _, call = decoded(step, model)
    first = model.calls[0] if model.calls else None
    where, why = f"the model's first call in {call}", "prefill: one call for the whole prompt fills the cache."
    expect(first is not None, call=call, got="no call of the model", wanted="a call with the prompt", why=why)
    expect_ids(first.ids, IDS, call=where, why=why, calls=model.calls[:1])
    got, shown = f"a cache of {first.cached} tokens", trace(model.calls, 0)
    expect(first.cached == 0, call=where, got=got, wanted="no cache, or an empty one", why=why, trace=shown)


def feeds_one_token(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    ids, call = decoded(step, model)
    wanted = [ids[at - 1 : at] if at else model.calls[0].ids for at in range(len(model.calls))]
    why = "decode: the cache holds the keys and values of everything before, so only the token not yet in it goes in."
    if len(model.calls) > 1 and len(model.calls[1].ids) > 1:
        decoded(step, other := ModelWithATrueCache(hashed()))
        if all(len(each.ids) == 1 for each in other.calls[1:]):
            why += " A cache may count as False, as this one does: ask `is None`, not `if cache`."
    expect_each(model.calls, [each.ids for each in model.calls], wanted, call=call, why=why)
    got, shown = f"{counted(len(ids), 'token')} from {counted(len(model.calls), 'call')}", trace(model.calls, 1)
    if len(ids) == 1:
        why = "it ended by itself: `stop_ids` is empty here, and only a token in it, or the limit, ends an answer."
    expect(len(model.calls) > 1, call=call, got=got, wanted="6 tokens from 6 calls", why=why, trace=shown)


def says_use_cache(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    _, call = decoded(step, model)
    said = [each.use_cache for each in model.calls]
    wrong = next((at for at, value in enumerate(said) if value is not True), None)
    got = "" if wrong is None else f"use_cache={said[wrong]}"
    why = "left out, the model's config decides, and some configs say no: then no cache comes back at all."
    if wrong is not None and said[wrong] is False:
        why = "this call says no. The contract wants a yes at every call, the last one too: who knows which that is?"
    tell = told_with_use_cache
    expect_calls(model.calls, wrong, call=call, got=got, wanted="use_cache=True", why=why, tell=tell)


def hands_on_the_cache(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    ids, call = decoded(step, model)
    wanted = [tuple(IDS + ids[:at]) for at in range(len(model.calls))]
    seen = [each.seen for each in model.calls]
    wrong = next((at for at, right in enumerate(wanted) if seen[at] != right), None)
    cached = 0 if wrong is None else model.calls[wrong].cached
    why = "hand on `output.past_key_values` of the newest output, asking only `is None`: a cache may count as False."
    if wrong is not None and not cached:
        decoded(step, other := ModelWithATrueCache(hashed()))
        if all(each.cached for each in other.calls[1:]):
            why = f"this cache counts as False, and is not handed in; one that counts as True would be. {why}"
    expect_calls(
        model.calls,
        wrong,
        call=call,
        got=f"a cache of {cached} tokens",
        wanted=f"the cache of {len(IDS) + (wrong or 1) - 1} tokens that the call before returned",
        why=why,
    )
    told = ""
    try:
        decoded(step, ModelWithASealedCache(hashed()))
    except (AttributeError, TypeError) as error:
        told = f"{type(error).__name__}: {error}"
    expect(not told, call=f"{call}, the cache an opaque one", got=told, wanted="6 tokens", why=OPAQUE)


def grows_the_mask(step: ModuleType) -> None:
    model = ScriptedModel(tricky)
    _, call = decoded(step, model, 8, params=SamplingParams(ignore_eos=True), stop_ids={0, IM_END})
    wanted = [[1] * (len(IDS) + at) for at in range(len(model.calls))]
    why = "the new token looks at everything in the cache and at itself: append a 1 to the mask for each token."
    expect_each(model.calls, [each.mask for each in model.calls], wanted, call=call, why=why, of="attention_mask")


def counts_positions_on(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    _, call = decoded(step, model)
    starts = [0, *range(len(IDS), len(IDS) + len(model.calls))]
    wanted = [list(range(start, start + len(each.ids))) for start, each in zip(starts, model.calls, strict=False)]
    got = [right if each.positions is None else each.positions for each, right in zip(model.calls, wanted, strict=True)]
    why = "the new token stands behind all cached ones: its position is their number, neither 0 nor one more."
    expect_each(model.calls, got, wanted, call=call, why=why, of="position_ids")


def is_lazy(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    threads = set(enumerate_threads())
    tokens, call = decode(step, model)
    for taken in range(5):
        if taken:
            take(tokens, 1, call)
        others = set(enumerate_threads()) - threads
        for thread in others:
            thread.join(0.05)  # one that works ahead gets the time to do so
        expect(
            len(model.calls) == taken or not others,
            call=f"{call}, not all of it taken",
            got="calls of the model ahead of the tokens taken, made by another thread",
            wanted="no call before its token is asked for",
            why="a thread works ahead of a consumer, who may never come back: make each token when it is asked for.",
        )
        expect(
            len(model.calls) == taken,
            call=f"{call}, of which {counted(taken, 'token')} {'was' if taken == 1 else 'were'} taken",
            got=f"{counted(len(model.calls), 'call')} of the model",
            wanted=counted(taken, "call"),
            why="a token costs one call of the model, made when it is asked for: yield it before the next call.",
            trace=trace(model.calls, min(len(model.calls), taken)),
        )


def is_not_ended_by_the_prompt(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    ids, call = decoded(step, model, stop_ids={IM_END, 10})
    got, shown = f"{counted(len(ids), 'token')}, although the model never said a stop id", trace(model.calls, len(ids))
    why = "look for stop ids in new tokens only: the chat template ends each turn of the prompt with an EOS."
    if len(ids) <= 1 and len(decoded(step, ScriptedModel(hashed()), stop_ids={7})[0]) <= 1:  # 7 is not in the prompt
        why = "a token that is no stop id ends nothing: is `in` meant, where `not in` stands?"
    expect(len(ids) > 1, call=call, got=got, wanted="6 tokens", why=why, trace=shown)


def takes_the_best_of_the_last_row(step: ModuleType) -> None:
    for seed in (1, 2, 3):
        model = ScriptedModel(hashed(seed))
        ids, call = decoded(step, model, 16)
        why = "each token is the best of the last row of logits, the newest position's: `logits[:, -1, :]`."
        why = none_kept(model, IDS, why)
        expect_ids(ids, expected_reply(hashed(seed), IDS, 16), call=call, why=why, calls=model.calls)


def makes_exactly_as_many(step: ModuleType) -> None:
    for new_tokens in (1, 2, 16):
        model = ScriptedModel(hashed())
        ids, call = decoded(step, model, new_tokens)
        expect_counts(model.calls, len(ids), new_tokens, call=f"list({call})")
    ids, call = decoded(step, ScriptedModel(hashed()), 0)
    why = "the limit is asked before each token, the first one too."
    expect(not ids, call=f"list({call})", got=counted(len(ids), "token"), wanted="none", why=why)


def goes_on_as_it_began(step: ModuleType) -> None:
    """Long runs, call by call: the whole prompt, then the newest token alone."""
    for prompt, new_tokens in ((LONG, 3), (IDS, 520)):
        model = ScriptedModel(lambda seen: 97 + (len(seen) + seen[-1]) % 26)
        ids, call = decoded(step, model, new_tokens, ids=prompt, params=SamplingParams(ignore_eos=True), stop_ids={7})
        call = call.replace("inputs", f"inputs of {len(prompt)} ids")
        fed = [each.ids for each in model.calls]
        why = "the whole prompt goes in as one call, however long it is, and then the newest token alone: no call "
        why += "starts over."
        expect_each(model.calls, fed, [prompt, *([token] for token in ids)][: len(fed)], call=call, why=why)
        masks, wanted = [each.mask for each in model.calls], [[1] * len(each.seen) for each in model.calls]
        why = "a 1 for each token that is cached and for each new one, however many they are: no mask has a last place."
        expect_each(model.calls, masks, wanted, call=call, why=why, of="attention_mask")
        why = "with ignore_eos only the limit handed in ends the answer, no limit of your own."
        got = counted(len(ids), "token")
        expect(len(ids) == new_tokens, call=call, got=got, wanted=f"{new_tokens} tokens", why=why)


def cuts_no_long_prompt(step: ModuleType) -> None:
    text, model = "".join(f"{number} " for number in range(700)), ScriptedModel(lambda _: 97)
    _, call = run(step.generate_cached, model, text, max_new_tokens=1)
    why = "this prompt fits, long as it is: nothing of it is cut off, neither letters nor ids. `check_fits` refuses "
    why += "what does not fit."
    first = model.calls[0].ids if model.calls else []
    expect_ids(first, prompt_ids(text), call=f"the first call of the model in {call}", why=why, calls=model.calls[:1])


def prefills_a_single_token(step: ModuleType) -> None:
    model, ids = ScriptedModel(hashed()), []
    call, why = (
        "decode_tokens on a prompt of one id",
        "prefill or decode: that is whether there is a cache yet, not how ",
    )
    why += "many ids go in."
    try:
        ids, _ = decoded(step, model, ids=[65])
    except CheckFailure:
        raise
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
        expect(False, call=call, got=got, wanted="6 tokens", why=why, trace=trace(model.calls))
    expect_ids(ids, expected_reply(hashed(), [65], 6), call=call, why=why, calls=model.calls)
    masks, wanted = [each.mask for each in model.calls], [[1] * (1 + at) for at in range(len(model.calls))]
    why = "a 1 for each token that is cached and for the new one, also where the prompt is a single id."
    expect_each(model.calls, masks, wanted, call=call, why=why, of="attention_mask")


def stops_at_the_stop_ids(step: ModuleType) -> None:
    cases = (7, {7, 0}, 4), (0, (7, 0), 4), (7, {7, 0}, 1), (10, {7}, 4), (IM_END, {7}, 4), (7, set(), 4)
    others = (0, {7}, 4), (CONFIG_EOS, {7}, 4), (CONFIG_PAD, {7}, 4)
    for stop_id, stop_ids, at in cases + others:
        model = _model_with_ids_of_its_own(stopping_after(at, stop_id, IDS))
        ids, call = decoded(step, model, 9, stop_ids=stop_ids)
        why = "decode_tokens goes by the `stop_ids` that its caller hands in, by nothing else: yield the one that ends "
        why += "the answer, then stop, without another call of the model."
        wanted = expected_reply(model.script, IDS, 9, stop_ids)
        if ids != wanted and at > 1:
            ends = [end for end in (0, 7, 10, CONFIG_EOS, CONFIG_PAD, IM_END) if _stops_at(step, end)]
            why += f" Handed {{7}}, yours stops at {' and '.join(map(str, ends)) or 'nothing'}; the model's own EOS is "
            why += f"10, the tokenizer's {IM_END}."
            why += f" The model's config has {CONFIG_EOS} as EOS and {CONFIG_PAD} for padding."
            if stop_id in stop_ids and len(ids) > len(wanted):
                why += " 0 is an id like any other." * (stop_id == 0)
                why += " Any of the ids ends the answer, not just one of them." * (stop_id != 0 and stop_id in ends)
            why = none_kept(model, IDS, why)
        expect_ids(ids, wanted, call=f"{call}, where token {at} is {stop_id}", why=why, calls=model.calls)
        right, shown = len(model.calls) == len(wanted), trace(model.calls, len(wanted))
        got = f"{counted(len(model.calls), 'call')} for {counted(len(wanted), 'token')}"
        expect(right, call=call, got=got, wanted=f"{len(wanted)} calls", why=why, trace=shown)


def _model_with_ids_of_its_own(script: Script) -> ScriptedModel:
    """Its generation config and its config name ids that nobody hands in: none of them may end an answer."""
    model = ScriptedModel(script, eos_token_id=[10])
    model.config.eos_token_id, model.config.pad_token_id = CONFIG_EOS, CONFIG_PAD
    return model


def _stops_at(step: ModuleType, said: int) -> bool:
    """Whether this id ends an answer whose stop id is 7."""
    model = _model_with_ids_of_its_own(stopping_after(4, said, IDS))
    return len(decoded(step, model, 9, stop_ids={7})[0]) <= 4


def can_ignore_stop_ids(step: ModuleType) -> None:
    for at in (2, 1):
        model = ScriptedModel(stopping_after(at, 7, IDS))
        ids, call = decoded(step, model, 6, params=SamplingParams(ignore_eos=True), stop_ids={7})
        why = "with ignore_eos a stop id is a token like any other, the first one too, yielded and fed back: only the "
        why += "limit ends the answer."
        call = f"{call}, where token {at} is 7"
        expect_ids(ids, expected_reply(model.script, IDS, 6), call=call, why=why, calls=model.calls)


def yields_what_the_sampler_says(step: ModuleType, said: list[int]) -> None:
    """said: what the `step_2_giving` under the step answers with; none of it is the model's own choice."""
    model = ScriptedModel(lambda seen: len(seen) % 100, vocab_size=max(said) + 1)
    params = SamplingParams(temperature=0.8, top_k=40, ignore_eos=True)
    ids, call = decoded(step, model, len(said), params=params, stop_ids={IM_END})
    why = "the token is the sampler's answer, whatever the logits' own favourite is, and an EOS too where it is to be "
    why += "ignored: yield it, and feed it back."
    expect_ids(ids, said, call=call, why=why, calls=model.calls)
    seen, wanted = model.calls[-1].seen, IDS + said[:-1]
    expect_ids(seen, wanted, call=f"all that the model has seen in {call}", why=why, calls=model.calls)
