"""How `generate_uncached` and `generate_cached` behave towards the rest of the house, judged in one place.

As in `loop_tokens.py`, each function is handed a solution's `generate`, or a way to load it.
"""

from collections.abc import Callable
from dataclasses import astuple
from typing import Any

import torch
from torch import Tensor

from kata.failure import CheckFailure, expect
from shared.generation import Generation
from shared.sampling_params import SamplingParams
from tests.doubles.elsewhere import DEVICE, MixedDevices, elsewhere
from tests.doubles.loop_runs import PROMPT, Generate, name_of, prompt_ids, run
from tests.doubles.loop_spies import Draw
from tests.doubles.loop_verdicts import expect_ids, expect_no_graph
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import expected_reply, flat, hashed, rows

DRAWN = (
    SamplingParams(temperature=0.8, top_k=5, top_p=0.9),
    SamplingParams(temperature=5.0, top_k=5000),
    SamplingParams(temperature=1e-4, top_k=3, top_p=0.01),
    SamplingParams(temperature=1.0),  # what is left open stays open
)


def records_no_graph(generate: Generate, more: str = "") -> None:
    """more: what there is to say to the loops of one step alone."""
    if torch.is_grad_enabled():
        why = "generating needs no gradients: without torch.inference_mode() or no_grad() each call keeps a graph, and "
        why += f"memory grows with every token.{more}"
    else:
        why = "an import of the file has switched gradients off for the whole program, and its next line may switch "
        why += "them on again: a decorator or a `with` block switches them off for your own calls alone."
    for training in (False, True):
        with torch.enable_grad():
            model = ScriptedModel(hashed()).train(training)
            _, call = run(generate, model, max_new_tokens=4)
        call += ", with the model in training mode" * training
        if not model.weight.requires_grad:
            why = "gradients were switched off in the caller's own parameters (requires_grad), and stay off. Switch "
            why += "them off for your calls alone: torch.inference_mode() or no_grad()."
        expect_no_graph(model.calls, call=call, why=why)


def keeps_the_callers_grad_mode(load_generate: Callable[[], Generate]) -> None:
    """load_generate: loads the step and gives its `generate`; also an import must not change the mode."""
    why = "the grad mode belongs to the caller: switch it off in a `with` block or by a decorator, which put it back, "
    why += "also where the model fails."
    for before in (True, False):
        for error in (None, *(ERRORS if before else ERRORS[:2])):
            with torch.set_grad_enabled(before):
                generate = load_generate()
                call = _run_with_failure(generate, error)
                after = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
            if after == (True, False) and not before:
                why = "gradients were off before the call, and are on now: put back the mode that was there, not "
                why += "always True. A decorator or a `with` block does so, also where the model fails."
            wanted = f"grad {'on' if before else 'off'}, as before the call"
            got = f"grad {'on' if after[0] else 'off'}{', inference mode left on' if after[1] else ''}"
            expect(after == (before, False), call=f"after {call}", got=got, wanted=wanted, why=why)


KINDS = RuntimeError, ValueError, torch.OutOfMemoryError, KeyError, IndexError, ConnectionResetError
ERRORS = [kind("raised on purpose") for kind in KINDS]


def _run_with_failure(generate: Generate, error: Exception | None) -> str:
    """Runs it, with a model that fails with this error at its third call, or does not; the call as text."""

    def fail(call: Any) -> None:
        if error and len(model.calls) == 3:
            raise error

    model = ScriptedModel(hashed(), on_call=fail)
    call = f"{name_of(generate)}(...)" + (f", in which the model raised {type(error).__name__}" if error else "")
    try:
        run(generate, model, max_new_tokens=4)
    except Exception as raised:
        if raised is error:
            return call
        if not error or isinstance(raised, CheckFailure):
            raise
        why = "an error of the model comes through as it is: one in its place hides what went wrong."
        got = f"{type(raised).__name__}: {raised}"
        raise CheckFailure(call=call, got=got, wanted="the model's own error", why=why) from raised
    why = "an error of the model is told to the caller, not swallowed: half an answer must not look whole."
    expect(not error, call=call, got="an answer, although the model raised an error", wanted="that error", why=why)
    return call


def asks_the_sampler(generate: Generate, model: ScriptedModel, asked: list[Draw], params: SamplingParams) -> None:
    """asked: the notes of the `step_2_giving` that lies under the step; the model's script gives rows."""
    tokens = 110 if params == DRAWN[0] else 5
    result, call = run(generate, model, max_new_tokens=tokens, params=params)
    why = "when not greedy, every token is drawn by step 2's sample_next_token, once, also the prefill's."
    got, wanted = f"{len(asked)} draws for {len(result.output_ids)} tokens", f"{tokens} draws for {tokens} tokens"
    told = "" if got == wanted else _undrawn(model, result, asked)
    if not asked:
        why += (
            " Greedy is a temperature of 0 or below, or top_k 1, and nothing else: a small temperature or top_p is not."
        )
    expect(got == wanted, call=call, got=f"{got}{told}", wanted=wanted, why=why)
    right = _rows(model, result)
    for at, draw in enumerate(asked):
        call_here = f"sample_next_token(...), call {at + 1} of it in {call}"
        own = draw.generator is not None and draw.generator is not torch.default_generator
        why = "draws come from the global generator, which the caller seeds: the sampler uses it where it gets none."
        is_one = asked[-1].generator is draw.generator
        got = f"a generator of its own, {'one for all tokens' if is_one else 'a new one for each token'}"
        expect(not own, call=call_here, got=got, wanted="no generator", why=why)
        why = "the request's own settings decide how a token is drawn: hand `params` on as they are."
        same = astuple(draw.params) == astuple(params)
        expect(same, call=call_here, got=draw.params, wanted=params, why=why)
        why = "the sampler takes the newest position's logits, `logits[:, -1, :]`, with their batch dimension."
        row = right[at][None]
        got, wanted = f"logits of shape {tuple(draw.logits.shape)}", f"logits of shape {tuple(row.shape)}"
        expect(draw.logits.shape == row.shape, call=call_here, got=got, wanted=wanted, why=why)
        got, wanted = f"a row that peaks at {draw.logits.argmax()}", f"the last row, which peaks at {row.argmax()}"
        if draw.logits.argmax() == row.argmax():
            at = int((draw.logits.float() != row)[0].int().argmax())
            got = f"a row with {draw.logits[0, at]:.7g} for id {at}"
            wanted = f"the last row as the model gave it, with {row[0, at]:.7g} for id {at}"
            why = "these values were changed on the way: the sampler gets the logits as they are, not scaled, rounded "
            why += "or cleaned of -inf, and does the rest itself."
        expect(torch.equal(draw.logits.float(), row), call=call_here, got=got, wanted=wanted, why=why)


def _rows(model: ScriptedModel, result: Generation) -> list[Tensor]:
    """The last rows of logits behind the tokens of an answer."""
    return [model.script(tuple(prompt_ids()) + tuple(result.output_ids[:at])) for at in range(len(result.output_ids))]


def _undrawn(model: ScriptedModel, result: Generation, asked: list[Draw]) -> str:
    """How tokens came about of which the sampler was never asked."""
    rows = _rows(model, result)
    drawn = [draw.logits.float().flatten() for draw in asked]
    undrawn = [at for at, row in enumerate(rows) if not any(torch.equal(row, other) for other in drawn)]
    if not undrawn:
        return ""
    which = "the best" if all(result.output_ids[at] == int(rows[at].argmax()) for at in undrawn) else "another one"
    shown = ", ".join(str(at + 1) for at in undrawn[:3]) + (f" and {len(undrawn) - 3} more" if len(undrawn) > 3 else "")
    return f"; taken without it: {which}, as token {shown}"


def uses_what_the_sampler_says(generate: Generate, said: list[int]) -> None:
    """said: what the `step_2_giving` under the step answers with."""
    model = ScriptedModel(rows)
    params = SamplingParams(temperature=0.8, top_k=40, ignore_eos=True)
    result, call = run(generate, model, max_new_tokens=len(said), params=params)
    why = "the token is the sampler's answer, whatever the logits' own favourite is, and an EOS too where it is to be "
    why += "ignored: keep it, and feed it back."
    expect_ids(result.output_ids, said, call=f"{call}.output_ids", why=why, calls=model.calls)
    fed = list(model.calls[-1].seen)
    expect_ids(fed, prompt_ids() + said[:-1], call=f"the last call of the model in {call}", why=why, calls=model.calls)


def draws_with_the_global_generator(generate: Generate) -> None:
    def draw(seed: int) -> list[int]:
        torch.manual_seed(seed)
        params = SamplingParams(temperature=1.0)
        return run(generate, ScriptedModel(flat), max_new_tokens=24, params=params)[0].output_ids

    with torch.random.fork_rng(devices=[]):
        first, again, other = draw(1), draw(1), draw(2)
        after = [torch.rand(1).item()]
        torch.manual_seed(2)
        after.append(torch.rand(1).item())
    call = f"torch.manual_seed(1); {name_of(generate)}(..., SamplingParams(temperature=1.0)), 24 letters equally likely"
    why = "a generator made anew, or seeded, for each token draws the same number each time."
    got = f"{len(set(first))} different tokens"
    expect(len(set(first)) > 5, call=call, got=got, wanted="many different ones", why=why)
    why = "a list that is a default argument, or the module's, is made only once: make one in the function."
    got, wanted = "one list of ids, in both results", "a list of its own in each result"
    expect(first is not other, call=call, got=got, wanted=wanted, why=why)
    why = "draws come from the global generator, so that torch.manual_seed makes an answer reproducible."
    expect(first == again, call=f"{call}, twice", got="two different answers", wanted="the same answer twice", why=why)
    why = "never seed the global generator in here: it would give every request the same 'random' answer."
    expect(first != other, call=f"{call}, then with seed 2", got="the same answer", wanted="another answer", why=why)
    why = "draws move the global generator on: put back where it was, it gives the next request the same numbers."
    got, wanted = "the global generator where it was before the call", "the global generator, 24 draws further on"
    expect(after[0] != after[1], call=f"after {call}", got=got, wanted=wanted, why=why)


def follows_the_model_to_its_device(generate: Generate) -> None:
    call = f"{name_of(generate)}(model, tokenizer, {PROMPT!r}, max_new_tokens=4), model on another device"
    why = "this would stop on a GPU: make every new tensor where the others are, e.g. `mask.new_ones((1, 1))` or "
    why += "`device=ids.device`."
    with elsewhere():
        model = ScriptedModel(hashed(), device=DEVICE)
        try:
            ids = run(generate, model, max_new_tokens=4)[0].output_ids
        except MixedDevices as error:  # raised from it, so that the report shows the solution's line
            raise CheckFailure(call=call, got=error, wanted="4 tokens", why=why) from error
        except (RuntimeError, NotImplementedError) as error:
            if not any(told in str(error) for told in ("meta tensor", "unallocated storage", "not an accelerator")):
                raise
            return  # the pretended device cannot follow this solution, in another thread say: that proves nothing
    why = (
        "no tensor was on the wrong device, and yet the answer is not the one that the CPU gives: what your loop does "
    )
    why += "with ids and mask must not depend on where they are."
    expect_ids(ids, expected_reply(hashed(), prompt_ids(), 4), call=call, why=why, calls=model.calls)
