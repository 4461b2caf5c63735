"""How `decode_tokens` behaves towards others: iterators beside it, its caller, who may leave early, and the inputs.

As in `decode_calls.py`, each function is handed a solution's step 4, or a way to load it.
"""

import gc
import weakref
from collections.abc import Callable
from threading import Thread
from types import ModuleType

import torch

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.calls import trace
from tests.doubles.decode_runs import IDS, decode, decoded, slips_named
from tests.doubles.locks import in_another_thread, while_it_works
from tests.doubles.loop_results import take
from tests.doubles.loop_runs import prompt_ids, run, stopping_after
from tests.doubles.loop_spies import inputs_of
from tests.doubles.loop_verdicts import counted, expect_each, expect_ids, expect_no_graph
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import expected_reply, hashed

WHERE_GRAD_IS_OFF = (
    " What counts is the mode in which the model is called: a decorator or a block around a function that only "
    "returns a generator ends before that runs, and each thread has a mode of its own."
)


def can_be_interleaved(step: ModuleType) -> None:
    model, other_ids = ScriptedModel(hashed()), [72, 105]
    both = decode(step, model)[0], decode(step, model, ids=other_ids)[0]
    left, call = decode(step, ScriptedModel(hashed()))
    take(left, 2, call)

    def in_turns() -> list[tuple[list[int], list[int]]]:
        one, two = both
        return [(take(one, 1, call), take(two, 1, call)) for _ in range(6)]

    taken = in_another_thread(in_turns, call=f"two in turns: {call}")
    why = "a server answers two clients at once: cache, mask and ids belong to one iterator, not to module or model."
    for at, ids in enumerate((IDS, other_ids)):
        got = [token for pair in taken for token in pair[at]]
        expect_ids(got, expected_reply(hashed(), ids, 6), call=f"two in turns: {call}", why=why, calls=model.calls)
    masks, wanted = [each.mask for each in model.calls], [[1] * len(each.seen) for each in model.calls]
    expect_each(model.calls, masks, wanted, call=f"two in turns: {call}", why=why, of="attention_mask")


def can_begin_inside_another(step: ModuleType) -> None:
    """While the model works on one answer's third token, the whole of another is made, in another thread."""
    model, answers = ScriptedModel(hashed()), {}
    asked = {prompt: expected_reply(hashed(), prompt_ids(prompt), 6) for prompt in ("Why?", "And the sky?")}

    def answer(prompt: str) -> str:
        result, call = run(step.generate_cached, model, prompt, max_new_tokens=6)
        answers[prompt] = result.output_ids
        return call

    one, other = asked
    while_it_works(model, prompt_ids(one) + asked[one][:2], lambda: answer(other))
    call = f"{answer(one)}, and another one in another thread while the model works on its third token"
    why = "a server answers two clients at once: what an answer remembers is its own, not the module's or the model's. "
    why += "What is emptied where an answer begins is emptied for those under way."
    for prompt, ids in list(answers.items()):  # the other one may still be on its way
        expect_ids(ids, asked[prompt], call=f"{call}: the ids for {prompt!r}", why=why)


def lets_go_of_the_cache(step: ModuleType) -> None:
    for model, stop_ids in ((ScriptedModel(hashed()), set()), (ScriptedModel(stopping_after(4, 7, IDS)), {7})):
        _, call = decoded(step, model, stop_ids=stop_ids)
        held = {id(cache): cache for each in model.calls for cache in (each.cache_given, each.cache_returned)}
        caches = [weakref.ref(held.pop(at)) for at in list(held) if held[at] is not None]
        held.clear()
        model.forget()
        if any(cache() is not None for cache in caches):
            gc.collect()
        kept = sum(cache() is not None for cache in caches)
        why = "a cache is large, and lives as long as its request: what module or model keeps is never given back, nor "
        why += "is what a thread has that nobody waits for (`join`)."
        expect(kept == 0, call=f"after list({call})", got=f"{kept} caches still held", wanted="none", why=why)


def starts_afresh(step: ModuleType) -> None:
    model, inputs, params = ScriptedModel(hashed()), inputs_of(IDS), SamplingParams()
    before = {name: (tensor, tensor.clone()) for name, tensor in inputs.items()}
    call = "decode_tokens(model, inputs, 6, params, stop_ids)"
    take(step.decode_tokens(model, inputs, 6, params, frozenset()), 2, call)
    for number in (2, 3):
        with slips_named(f"{call}, time {number}"):
            ids = take(step.decode_tokens(model, inputs, 6, params, frozenset()), 9, call)
        why = "each call starts with an empty cache and with the caller's inputs, which it leaves as they are."
        expect_ids(ids, expected_reply(hashed(), IDS, 6), call=f"{call}, time {number}", why=why, calls=model.calls)
    why = "no call saves work by what another has left: a prefill for each."
    begins = [at for at in (2, 8) if at < len(model.calls)]
    wrong = next((at for at in begins if model.calls[at].ids != IDS), len(model.calls))
    expect(
        len(model.calls) >= 14,
        call=f"{call} three times, 2, 6 and 6 tokens taken",
        got=f"{len(model.calls)} calls of the model",
        wanted="14 calls, 3 of them with the prompt",
        why=why,
        trace=trace(model.calls, wrong),
    )
    why = "the inputs belong to the caller: make new tensors, do not write into these."
    changed = ", ".join(sorted({*inputs} ^ {*before}))
    expect(not changed, call=f"inputs after {call}", got=f"changed: {changed}", wanted="as they were", why=why)
    for name, (tensor, copy) in before.items():
        got = f"{name} is another tensor" if inputs[name] is not tensor else f"{name} holds {tensor.tolist()}"
        right = inputs[name] is tensor and torch.equal(tensor, copy)
        expect(right, call=f"inputs after {call}", got=got, wanted="as they were", why=why)
    inputs = inputs_of(IDS)
    inputs["attention_mask"][0, :2] = 0  # as where a prompt is padded on the left
    kept = inputs["attention_mask"].clone()
    take(step.decode_tokens(ScriptedModel(hashed()), inputs, 3, params, frozenset()), 3, call)
    got = f"attention_mask holds {inputs['attention_mask'].tolist()}"
    right, wanted = torch.equal(inputs["attention_mask"], kept), f"as it was: {kept.tolist()}"
    expect(right, call=f"inputs after {call}, 2 ids of them padding", got=got, wanted=wanted, why=why)


def works_anew_for_the_same_prompt(step: ModuleType) -> None:
    model = ScriptedModel(hashed())
    for number in (1, 2):
        before = len(model.calls)
        _, call = run(step.generate_cached, model, max_new_tokens=5)
        made = len(model.calls) - before
        why = (
            "an answer, a prefill or a cache of an earlier call is kept, by the module or by the model: nothing may be."
        )
        if number == 1:
            why = "generate_cached collects the tokens of decode_tokens, each from one call of the model."
        got = f"{counted(made, 'call')} of the model"
        expect(made == 5, call=f"{call}, time {number}", got=got, wanted="5 calls", why=why)


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
        if not before and modes[0] == (True, False):
            why = "gradients were off before the call, and are on now: put back the mode that was there, not always "
            why += "True. The decorator (@torch.inference_mode()) and a `with` block around the model's call do so."
        expect(right, call=f"between the tokens of {call}", got=got, wanted=f"grad {on[before]}, as before", why=why)


def records_no_graph_in_another_thread(step: ModuleType) -> None:
    for training in (False, True):
        model = ScriptedModel(hashed()).train(training)
        tokens, call = decode(step, model, 4)
        thread = Thread(target=take, args=(tokens, 4, call))
        thread.start()
        thread.join()
        call += f", tokens taken in another thread{', the model in training mode' * training}"
        why = "PyTorch's grad mode belongs to a thread, and a server takes tokens in one of its own: switch it off "
        why += "around each call of the model, by a decorator of the generator function or a block inside it."
        if training:
            why = "a generation records nothing, whatever mode the model is in: only dropout goes by `model.training`."
        expect_no_graph(model.calls, call=call, why=why)


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
    right, shown = len(model.calls) == 4, trace(model.calls, 2 if any(each.cached for each in model.calls[2:3]) else 4)
    expect(right, call=f"{call}, closed after 2 tokens", got=got, wanted=wanted, why=why, trace=shown)
