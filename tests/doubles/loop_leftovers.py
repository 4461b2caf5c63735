"""What `generate_uncached` and `generate_cached` leave behind: nothing in what they are handed, nothing between calls.

As in `loop_tokens.py`, each function is handed a solution's `generate`.
"""

import contextlib
import copy
from dataclasses import astuple
from typing import Any

import torch

from kata.failure import expect
from shared.sampling_params import SamplingParams
from tests.doubles.backends import straddling_backend
from tests.doubles.calls import trace
from tests.doubles.engines import raising
from tests.doubles.fast_tokenizer import NOTES, FastTokenizer
from tests.doubles.loop_manners import ERRORS
from tests.doubles.loop_runs import PROMPT, Generate, name_of, prompt_ids, run, stopping_after
from tests.doubles.loop_verdicts import expect_ids
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import expected_reply, hashed

SUBMODULES = " `eval()` and `train(…)` set every submodule's mode as well, and this one's was another."


def leaves_what_it_is_handed(generate: Generate) -> None:
    for training in (True, False):
        model, params = ScriptedModel(stopping_after(4, 10), eos_token_id=[10]), SamplingParams(max_tokens=9)
        model.config.use_cache = model.generation_config.use_cache = False  # whoever needs a cache asks for it
        model.config.eos_token_id = 21  # which some make the padding as well, where there is none
        model.add_module("adapter", torch.nn.Identity().train(not training))
        model.train(training).adapter.train(not training)
        model.to(torch.bfloat16 if training else torch.float32)
        tokenizer = FastTokenizer()
        if training:
            tokenizer.pad_token = tokenizer.pad_token_id = None
        before, settings, kept = _state(model), astuple(params), _settings(tokenizer)
        _, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=6, params=params)
        why = "params, model and tokenizer belong to the caller, and the next request uses them as well: change "
        why += "nothing in them, not the model's mode or config either."
        expect(astuple(params) == settings, call=call, got=params, wanted=f"params as before: {settings}", why=why)
        changed = _changes(before, _state(model))
        got = f"the model's {', '.join(changed)}"
        if any(change.startswith("mode of") for change in changed):
            why += SUBMODULES
        expect(not changed, call=call, got=got, wanted="the model as before", why=why)
        others = {name: value for name, value in _settings(tokenizer).items() if value != kept.get(name, "not there")}
        got = f"the tokenizer's {', '.join(f'{name} is now {value!r}' for name, value in sorted(others.items()))}"
        expect(not others, call=call, got=got, wanted="the tokenizer as before", why=why)
    model = ScriptedModel(hashed(), on_call=lambda _: raising(ERRORS[0])()).train()
    before = _state(model)
    with contextlib.suppress(type(ERRORS[0])):
        run(generate, model, max_new_tokens=4)
    changed = _changes(before, _state(model))
    call, got = f"after {name_of(generate)}(...), in which the model raised", f"the model's {', '.join(changed)}"
    why = "the model belongs to the caller: what you change in it is put back also where it fails, by `finally`."
    if changed and all("config.use_cache" in change for change in changed):
        why = "the model belongs to the caller: change no config, `use_cache` goes into each call of the model."
    expect(not changed, call=call, got=got, wanted="the model as before", why=why)


def _settings(tokenizer: FastTokenizer) -> dict[str, Any]:
    """What a tokenizer is set to, the library's names alone, and how many tokens it has."""
    own = {"backend_tokenizer", "_tokenizer", *NOTES}
    settings = {name: copy.copy(value) for name, value in vars(tokenizer).items() if name not in own}
    return settings | {"length": len(tokenizer)}


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """`config.use_cache is now False`, and the like."""
    told = []
    for name, value in after.items():
        if isinstance(value, dict):
            others = {key: value.get(key) for key in {*value, *before[name]} if value.get(key) != before[name].get(key)}
            told += [f"{name}.{key} is now {other!r}" for key, other in sorted(others.items())]
        elif value != before[name]:
            told.append(f"{name} is now another")
    return told


def modes(model: ScriptedModel) -> dict[str, bool]:
    """Whether the model, and each submodule, is in training mode."""
    return {f"mode of its {name}" if name else "mode": part.training for name, part in model.named_modules()}


def _state(model: ScriptedModel) -> dict[str, Any]:
    weights = list(model.parameters())
    return copy.deepcopy(
        {
            "hooks": [len(hooks) for hooks in (model._forward_hooks, model._forward_pre_hooks)],
            **modes(model),
            "config": vars(model.config),
            "generation_config": vars(model.generation_config),
            "weights": {
                "values": [weight.tolist() for weight in weights],
                "requires_grad": [weight.requires_grad for weight in weights],
                "dtype": [weight.dtype for weight in weights],
                "device": [weight.device for weight in weights],
            },
        }
    )


def keeps_nothing_between_calls(generate: Generate) -> None:
    why = "each call stands for itself: nothing of one request, its ids, its cache, its EOS, may be left for the next."
    runs = [(PROMPT, [10], False), ("And why?", [10], False), (PROMPT, [10], False), (PROMPT, None, True)]
    for number, (prompt, eos, merges) in enumerate(runs, start=1):
        tokenizer = FastTokenizer(straddling_backend() if merges else None)
        ids = tokenizer.prompt_ids(prompt)
        model = ScriptedModel(stopping_after(5, 10, ids), eos_token_id=eos)
        result, call = run(generate, model, prompt, tokenizer, max_new_tokens=8)
        wanted = expected_reply(model.script, ids, 8, {10} if eos else ())
        expect_ids(result.output_ids, wanted, call=f"call {number}: {call}.output_ids", why=why, calls=model.calls)
    why = "stop ids are asked of model and tokenizer at every request: those of the request before may be others."
    model, tokenizer = ScriptedModel(stopping_after(3, 10), eos_token_id=[10]), FastTokenizer()
    for eos in ([10], None, [10]):
        model.calls.clear()
        model.generation_config.eos_token_id = eos
        result, call = run(generate, model, tokenizer=tokenizer, max_new_tokens=6)
        wanted = expected_reply(model.script, prompt_ids(), 6, {10} if eos else ())
        call = f"{call}.output_ids, with {eos} as the same model's EOS now"
        expect_ids(result.output_ids, wanted, call=call, why=why, calls=model.calls)
    for params in (SamplingParams(max_tokens=4, ignore_eos=True), None):
        model = ScriptedModel(stopping_after(3, 10), eos_token_id=[10])
        result, call = run(generate, model, max_new_tokens=6, params=params)
        wanted = expected_reply(model.script, prompt_ids(), 6, () if params else {10})
        told = "params are those of this call, or `SamplingParams()`: the last call's are another request's."
        expect_ids(result.output_ids, wanted, call=f"{call}.output_ids", why=told, calls=model.calls)
    model = ScriptedModel(hashed())
    for number in (1, 2):
        model.calls.clear()
        _, call = run(generate, model, max_new_tokens=4)
        expect(
            len(model.calls) == 4,
            call=f"{call}, the {('first', 'second')[number - 1]} time",
            got=f"{len(model.calls)} calls of the model",
            wanted="4 calls of the model",
            why="an answer that was kept from the first time is an answer of another request, with its readings.",
            trace=trace(model.calls, min(len(model.calls), 4)),
        )
