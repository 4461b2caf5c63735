"""What `decode_tokens` promises, judged on a scripted model.

Each function is handed a solution's step 4 and raises a `CheckFailure` where it breaks the promise.
"""

import gc
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from threading import Thread
from threading import enumerate as enumerate_threads
from types import ModuleType

import torch

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.fast_tokenizer import IM_END
from tests.doubles.loop_promises import stopping_after
from tests.doubles.loop_spies import expect_calls, expect_each, expect_ids, inputs_of, take
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import TRICKY_IDS, expected_reply, hashed, rows

IDS = [84, 104, 101, IM_END, 10, 115, 107, 121, 63]


def decode(
    step: ModuleType,
    model,
    new_tokens: int = 6,
    ids: Sequence[int] = IDS,
    params: SamplingParams | None = None,
    stop_ids: Collection[int] = (),
) -> tuple[Iterator[int], str]:
    """The iterator that decode_tokens returns, none of it taken, and the call as a learner would write it."""
    stops = set(stop_ids)  # {7, 10}, or set()
    call = f"decode_tokens(model, inputs, {new_tokens}, {params or 'SamplingParams()'}, {stops})"
    tokens = step.decode_tokens(model, inputs_of(ids), new_tokens, params or SamplingParams(), frozenset(stop_ids))
    return tokens, call


def decoded(step: ModuleType, model, new_tokens: int = 6, **options) -> tuple[list[int], str]:
    """All ids of decode_tokens, and the call. It is asked for three more than there should be."""
    tokens, call = decode(step, model, new_tokens, **options)
    return take(tokens, new_tokens + 3, call), call


def prefills_the_whole_prompt(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    _, call = decoded(step, model)
    first = model.calls[0] if model.calls else None
    where, why = f"the model's first call in {call}", "prefill: one call for the whole prompt fills the cache."
    expect(first is not None, call=call, got="no call of the model", wanted="a call with the prompt", why=why)
    expect_ids(first.ids, IDS, call=where, why=why)
    got = f"a cache of {first.cached} tokens"
    expect(first.cached == 0, call=where, got=got, wanted="no cache, or an empty one", why=why)


def feeds_one_token(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    ids, call = decoded(step, model)
    wanted = [ids[at - 1 : at] if at else model.calls[0].ids for at in range(len(model.calls))]
    why = "decode: the cache holds the keys and values of everything before, so only the token not yet in it goes in."
    expect_each(model.calls, [each.ids for each in model.calls], wanted, call=call, why=why)
    got = f"{len(ids)} tokens from {len(model.calls)} calls"
    expect(len(model.calls) > 1, call=call, got=got, wanted="6 tokens from 6 calls", why=why)


def says_use_cache(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    _, call = decoded(step, model)
    said = [each.use_cache for each in model.calls]
    wrong = next((at for at, value in enumerate(said) if value is not True), None)
    got = "" if wrong is None else f"use_cache={said[wrong]}"
    why = "left out, the model's config decides, and some configs say no: then no cache comes back at all."
    expect_calls(model.calls, wrong, call=call, got=got, wanted="use_cache=True", why=why)


def hands_on_the_cache(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    ids, call = decoded(step, model)
    wanted = [tuple(IDS + ids[:at]) for at in range(len(model.calls))]
    seen = [each.seen for each in model.calls]
    wrong = next((at for at, right in enumerate(wanted) if seen[at] != right), None)
    cached = 0 if wrong is None else model.calls[wrong].cached
    expect_calls(
        model.calls,
        wrong,
        call=call,
        got=f"a cache of {cached} tokens",
        wanted=f"the cache of {len(IDS) + (wrong or 1) - 1} tokens that the call before returned",
        why="hand on `output.past_key_values` of the newest output, asking only `is None`: a cache may count as False.",
    )


def grows_the_mask(step: ModuleType) -> None:
    model = ScriptedModel(hashed(among=TRICKY_IDS))
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
        for thread in set(enumerate_threads()) - threads:
            thread.join(0.05)  # one that works ahead gets the time to do so
        expect(
            len(model.calls) == taken,
            call=f"{call}, of which {taken} tokens were taken",
            got=f"{len(model.calls)} calls of the model",
            wanted=f"{taken} calls",
            why="a token costs one call of the model, made when it is asked for: yield it before the next call.",
            trace=trace(model.calls),
        )


def is_not_ended_by_the_prompt(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    ids, call = decoded(step, model, stop_ids={IM_END, 10})
    got = f"{len(ids)} token{'s' * (not ids)}, although the model never said a stop id"
    why = "look for stop ids in new tokens only: the chat template ends each turn of the prompt with an EOS."
    expect(len(ids) > 1, call=call, got=got, wanted="6 tokens", why=why, trace=trace(model.calls))


def takes_the_best_of_the_last_row(step: ModuleType) -> None:
    for seed in (1, 2, 3):
        model = ScriptedModel(hashed(seed))
        ids, call = decoded(step, model, 16)
        why = "each token is the best of the last row of logits, the newest position's: `logits[:, -1, :]`."
        expect_ids(ids, expected_reply(hashed(seed), IDS, 16), call=call, why=why, calls=model.calls)


def makes_exactly_as_many(step: ModuleType) -> None:
    for new_tokens in (1, 2, 16):
        model = ScriptedModel(hashed())
        ids, call = decoded(step, model, new_tokens)
        got = f"{len(ids)} tokens from {len(model.calls)} calls"
        why = "each call of the model gives one token: one more is work thrown away, or a token that nobody asked for."
        right = (len(ids), len(model.calls)) == (new_tokens, new_tokens)
        wanted = f"{new_tokens} tokens from {new_tokens} calls"
        expect(right, call=f"list({call})", got=got, wanted=wanted, why=why, trace=trace(model.calls))


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


def stops_at_the_stop_ids(step: ModuleType) -> None:
    cases = (7, {7, 0}, 4), (0, {7, 0}, 4), (7, {7, 0}, 1), (10, {7}, 4), (IM_END, {7}, 4), (7, set(), 4)
    for stop_id, stop_ids, at in cases:
        model = ScriptedModel(stopping_after(at, stop_id, IDS), eos_token_id=[10])
        ids, call = decoded(step, model, 9, stop_ids=stop_ids)
        why = "decode_tokens goes by the `stop_ids` that its caller hands in, by nothing else: yield the one that ends "
        why += "the answer, then stop, without another call of the model."
        wanted = expected_reply(model.script, IDS, 9, stop_ids)
        expect_ids(ids, wanted, call=f"{call}, where token {at} is {stop_id}", why=why, calls=model.calls)
        got = f"{len(model.calls)} calls for {len(wanted)} tokens"
        expect(len(model.calls) == len(wanted), call=call, got=got, wanted=f"{len(wanted)} calls", why=why)


def can_ignore_stop_ids(step: ModuleType) -> None:
    model = ScriptedModel(stopping_after(2, 7, IDS))
    ids, call = decoded(step, model, 6, params=SamplingParams(ignore_eos=True), stop_ids={7})
    why = "with ignore_eos a stop id is a token like any other, yielded and fed back: only the limit ends the answer."
    expect_ids(ids, expected_reply(model.script, IDS, 6), call=call, why=why, calls=model.calls)


def can_be_interleaved(step: ModuleType) -> None:
    model, other_ids = ScriptedModel(hashed()), [72, 105]
    (one, call), (two, _) = decode(step, model), decode(step, model, ids=other_ids)
    taken = [(take(one, 1, call), take(two, 1, call)) for _ in range(6)]
    why = "a server answers two clients at once: cache, mask and ids belong to one iterator, not to module or model."
    for at, ids in enumerate((IDS, other_ids)):
        got = [token for pair in taken for token in pair[at]]
        expect_ids(got, expected_reply(hashed(), ids, 6), call=f"two in turns: {call}", why=why, calls=model.calls)
    masks, wanted = [each.mask for each in model.calls], [[1] * len(each.seen) for each in model.calls]
    expect_each(model.calls, masks, wanted, call=f"two in turns: {call}", why=why, of="attention_mask")


def lets_go_of_the_cache(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    _, call = decoded(step, model)
    caches = [weakref.ref(each.cache_returned) for each in model.calls if each.cache_returned is not None]
    model.forget()
    if any(cache() is not None for cache in caches):
        gc.collect()
    kept = sum(cache() is not None for cache in caches)
    why = "a cache is large, and lives as long as its request: what a module keeps is never given back."
    expect(kept == 0, call=f"after list({call})", got=f"{kept} caches still held", wanted="none", why=why)


def starts_afresh(step: ModuleType) -> None:
    model, inputs, params = ScriptedModel(hashed()), inputs_of(IDS), SamplingParams()
    before = {name: (tensor, tensor.clone()) for name, tensor in inputs.items()}
    call = "decode_tokens(model, inputs, 6, params, stop_ids)"
    take(step.decode_tokens(model, inputs, 6, params, frozenset()), 2, call)
    for number in (2, 3):
        ids = take(step.decode_tokens(model, inputs, 6, params, frozenset()), 9, call)
        why = "each call starts with an empty cache and with the caller's inputs, which it leaves as they are."
        expect_ids(ids, expected_reply(hashed(), IDS, 6), call=f"{call}, time {number}", why=why, calls=model.calls)
    why = "no call saves work by what another has left: a prefill for each."
    got, wanted = f"{len(model.calls)} calls of the model", "14 calls"
    expect(len(model.calls) >= 14, call=f"{call} three times, 2, 6 and 6 tokens taken", got=got, wanted=wanted, why=why)
    kept = set(inputs) == set(before) and all(
        inputs[name] is tensor and torch.equal(tensor, copy) for name, (tensor, copy) in before.items()
    )
    why = "the inputs belong to the caller: make new tensors, do not write into these."
    expect(kept, call=f"inputs after {call}", got="changed", wanted="as they were", why=why)


def leaves_the_grad_mode_between_tokens(load: Callable[[], ModuleType]) -> None:
    """load: the fixture; also an import must not change the mode."""
    on = {True: "on", False: "off"}
    for before in (True, False):
        modes = []
        with torch.set_grad_enabled(before):
            tokens, call = decode(load(), ScriptedModel(hashed()), 4)
            for _ in range(3):
                take(tokens, 1, call)
                modes.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
            del tokens
        got = ", ".join(f"grad {on[grad]}{' in inference mode' * inference}" for grad, inference in modes)
        why = "a `with` block around a `yield` stays open while the caller works: decorate the generator function "
        why += "(@torch.inference_mode()), or put only the model's call into the block."
        right = modes == [(before, False)] * 3
        expect(right, call=f"between the tokens of {call}", got=got, wanted=f"grad {on[before]}, as before", why=why)


def records_no_graph_in_another_thread(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    tokens, call = decode(step, model, 4)
    thread = Thread(target=take, args=(tokens, 4, call))
    thread.start()
    thread.join()
    graphs = sum(each.grad for each in model.calls)
    why = "PyTorch's grad mode belongs to a thread, and a server takes tokens in one of its own: switch it off around "
    why += "each call of the model, by a decorator of the generator function or a block inside it."
    got = f"{graphs} of {len(model.calls)} calls record a graph"
    expect(graphs == 0, call=f"{call}, tokens taken in another thread", got=got, wanted="none", why=why)


def yields_what_the_sampler_says(step: ModuleType, said: list[int]) -> None:
    """said: what the `step_2_giving` under the step answers with."""
    model = ScriptedModel(rows)
    ids, call = decoded(step, model, len(said), params=SamplingParams(temperature=0.8, top_k=40))
    why = "the token is the sampler's answer, whatever the logits' own favourite is: yield it, and feed it back."
    expect_ids(ids, said, call=call, why=why, calls=model.calls)
    expect_ids(model.calls[-1].seen, IDS + said[:-1], call=f"the model's last call in {call}", why=why)


def ends_when_it_is_closed_or_dropped(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    closed, call = decode(step, model)
    take(closed, 2, call)
    if hasattr(closed, "close"):
        closed.close()
        take(closed, 1, call)
    dropped, _ = decode(step, model)
    take(dropped, 2, call)
    del closed, dropped
    why = "whoever leaves pays no more: the work ends with the iterator."
    got, wanted = f"{len(model.calls)} calls of the model", "4 calls: two tokens were taken of each"
    expect(len(model.calls) == 4, call=f"{call}, closed after 2 tokens", got=got, wanted=wanted, why=why)
