"""One run of `decode_tokens`: its iterator or all its ids, the call as a learner would write it, and known slips."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

from kata.failure import CheckFailure, expect
from shared.sampling_params import SamplingParams
from tests.doubles.fast_tokenizer import IM_END
from tests.doubles.loop_results import take
from tests.doubles.loop_spies import inputs_of
from tests.doubles.scripted_model import ScriptedModel

IDS = [84, 104, 101, IM_END, 10, 115, 107, 121, 63]
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
