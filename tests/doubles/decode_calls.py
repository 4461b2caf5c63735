"""What `decode_tokens` asks of the model, call by call: ids, cache, mask, positions. Judged on a scripted model.

Each function is handed a solution's step 4 and raises a `CheckFailure` where it breaks the promise.
"""

from types import ModuleType

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.decode_runs import IDS, OPAQUE, decoded
from tests.doubles.fast_tokenizer import IM_END
from tests.doubles.loop_runs import padding_with, prompt_ids, run
from tests.doubles.loop_verdicts import counted, expect_calls, expect_each, expect_ids, told_with_use_cache
from tests.doubles.scripted_model import ScriptedCache, ScriptedModel
from tests.doubles.scripts import expected_reply, hashed, tricky

LONG = [1 + at * at % 250 for at in range(1100)]


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

    @property
    def get_seq_length(self) -> None:
        raise AttributeError("'SealedCache' object has no attribute 'get_seq_length'")

    def __reduce_ex__(self, _: object) -> str:
        raise TypeError("this cache cannot be copied")


class ModelWithASealedCache(ScriptedModel):
    """For those who look into the cache."""

    def _keep(self, given: object | None, seen: tuple[int, ...], new: int) -> object:
        kept = super()._keep(given, seen, new)
        is_the_models = given is None or isinstance(given, ScriptedCache)
        return SealedCache(kept.seen) if is_the_models else kept


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
    for pad, ids in ((None, IDS), (IM_END, IDS[1:])):
        model, params = padding_with(pad, ScriptedModel(tricky)), SamplingParams(ignore_eos=True)
        _, call = decoded(step, model, 8, ids=ids, params=params, stop_ids={0, IM_END})
        wanted = [[1] * (len(ids) + at) for at in range(len(model.calls))]
        masks = [each.mask for each in model.calls]
        why = "the new token looks at everything in the cache and at itself: append a 1 to the mask for each token."
        if any(0 in (mask or ()) for mask in masks[:1]):
            why = "the first mask is the one that was handed in. It alone knows what is padding: no id does, as here "
            why += "the padding's is an EOS as well, and stands in the prompt."
        expect_each(model.calls, masks, wanted, call=call, why=why, of="attention_mask")


def counts_positions_on(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    _, call = decoded(step, model)
    starts = [0, *range(len(IDS), len(IDS) + len(model.calls))]
    wanted = [list(range(start, start + len(each.ids))) for start, each in zip(starts, model.calls, strict=False)]
    got = [right if each.positions is None else each.positions for each, right in zip(model.calls, wanted, strict=True)]
    why = "the new token stands behind all cached ones: its position is their number, neither 0 nor one more."
    expect_each(model.calls, got, wanted, call=call, why=why, of="position_ids")


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
