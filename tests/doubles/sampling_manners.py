"""What a sampler owes to others: to the caller's logits and params, to the call before, to the device, to a bad row.

Each function is handed a solution's step 2 and raises a `CheckFailure` where it breaks the promise.
"""

from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from itertools import product
from types import ModuleType

import torch
from torch import Tensor

from kata.failure import CheckFailure, expect
from shared.limits import RequestRefused
from shared.sampling_params import SamplingParams
from tests.doubles.draws import call_text, is_not_started, sample
from tests.doubles.elsewhere import DEVICE, MixedDevices, elsewhere, send
from tests.doubles.logits import FLAT, THREE_ROWS


def _sparing_stars(params: SamplingParams) -> AbstractContextManager[None]:
    """No error of top_p holds up a required check, not even that it is still to be written: its stars tell of it."""
    is_a_star = params.top_p != 1 and params.temperature > 0 and params.top_k != 1
    return suppress(Exception) if is_a_star else nullcontext()


def leaves_the_logits_alone(step: ModuleType) -> None:
    """Three rows, also with tokens ruled out, are after a call what they were, whatever the params ask for."""
    why = "the logits belong to the caller: `/=`, `masked_fill_` and `logits[…] = …` write into them."
    some_ruled_out = THREE_ROWS.masked_fill(THREE_ROWS == 0.5, -torch.inf)
    settings = ((), (0.0, 3), (1.0, 1), (1.0,), (0.5,), (1.0, 3), (0.5, 3), (1.0, -1, 0.8), (2.0, 3, 0.8))
    for params, rows in product((SamplingParams(*setting) for setting in settings), (THREE_ROWS, some_ruled_out)):
        for dtype in (torch.float32, torch.float16):
            logits = rows.to(dtype, copy=True)
            with _sparing_stars(params):
                step.sample_next_token(logits, params)
            is_same = torch.equal(logits, rows.to(dtype))
            if params.temperature == 1 and not is_same:
                step.sample_next_token(divided := rows.clone(), replace(params, temperature=0.5))
                if torch.equal(divided, rows):
                    why += " At temperature 1 nothing need be divided, so your tensor is still the caller's own."
            call = call_text(rows, params)
            expect(is_same, call=call, got=f"now {logits.tolist()}", wanted="as they were", why=why)


def leaves_the_params_alone(step: ModuleType) -> None:
    """Params, in bounds and beyond them, are after a call what they were."""
    why = "one params object may serve many requests: keep what you work out in variables of your own."
    for settings in ((0.0, 200, 0.9), (-1.0, 0), (1.5, 200), (0.7, -1), (1.0, 1), (0.005,), (1e-6,), (9.0, 3, 1.5)):
        params, before = SamplingParams(*settings), SamplingParams(*settings)
        with _sparing_stars(params):
            sample(step, THREE_ROWS, params)
            step.sample_next_token(THREE_ROWS.clone(), params)
        expect(repr(params) == repr(before), call=call_text(THREE_ROWS, before), got=params, wanted=before, why=why)


def reads_the_logits_anew(step: ModuleType) -> None:
    """A tensor that the caller fills again is read again: its best token, and under top_k its two best."""
    params, cut = SamplingParams(temperature=0.7), SamplingParams(temperature=0.7, top_k=2)
    why = "the caller has filled the same tensor with new logits: read them at each call, and keep nothing."
    logits = torch.tensor([[0.0, 90.0, 0.0]], device="cpu")
    for best in (1, 2):
        logits[:] = torch.nn.functional.one_hot(torch.tensor([best], device="cpu"), 3) * 90.0
        got, call = int(step.sample_next_token(logits, params)), call_text(logits, params)
        expect(got == best, call=f"{call}, the second call with this tensor", got=got, wanted=best, why=why)
    for gap in (50.0, 0.25):
        logits[:] = torch.tensor([-2 * gap, -gap, 0.0], device="cpu")
        drawn = {int(step.sample_next_token(logits, cut)) for _ in range(64)}
        call, wanted = f"{call_text(logits, cut)}, 64 times with this tensor", "only tokens 1 and 2"
        expect(drawn <= {1, 2}, call=call, got=f"drawn: {sorted(drawn)}", wanted=wanted, why=why)


def stays_on_the_device(step: ModuleType) -> None:
    """Ids on the pretended device where the logits are, and no tensor of the CPU on the way."""
    why = "a tensor made on the way, or the result, is on the CPU: make it with `device=logits.device`."
    for params in (SamplingParams(), SamplingParams(temperature=0.7, top_k=3)):
        call = f"{call_text(THREE_ROWS, params)}, logits on another device than the CPU"
        got: object = DEVICE  # also where the pretended device is too poor for a right solution: no verdict then
        try:
            with elsewhere(), suppress(AttributeError):
                got = step.sample_next_token(send(THREE_ROWS), params).device
        except Exception as error:
            if is_not_started(error):
                raise
            if isinstance(error, MixedDevices):  # raised from it, so that the report shows the solution's line
                raise CheckFailure(call=call, got=error, wanted="ids on that device", why=why) from error
        expect(str(got) == str(DEVICE), call=call, got=got, wanted="ids on that device", why=why)


def stays_on_cuda(step: ModuleType) -> None:
    """Ids, int64, on the CUDA device where the logits are, drawn with the CUDA generator alone."""
    logits, wanted = FLAT.repeat(64, 1).cuda(), "int64 ids (64, 1) on the logits' device, by the generator's seed alone"
    by_rank = SamplingParams(temperature=0.75, top_k=6)
    for params in (SamplingParams(), by_rank, replace(by_rank, top_p=0.99)):
        before, ids = torch.cuda.get_rng_state(), []
        with _sparing_stars(params):
            for seed in (5, 5, 6):
                ids.append(step.sample_next_token(logits, params, torch.Generator("cuda").manual_seed(seed)))
        if not ids:
            continue
        is_right = all((x.device, x.dtype, x.shape) == (logits.device, torch.int64, (64, 1)) for x in ids)
        is_right = is_right and torch.equal(ids[0], ids[1]) and torch.equal(torch.cuda.get_rng_state(), before)
        is_right = is_right and torch.equal(ids[0], ids[2]) is (params.temperature <= 0)
        why = "compute on the logits' device, and draw with the generator that was handed in."
        expect(is_right, call=call_text(logits, params, "generator"), got=ids, wanted=wanted, why=why)


def expect_row_named(step: ModuleType, logits: Tensor, params: SamplingParams, row: int) -> None:
    """A ValueError whose text has the number of the row."""
    shown = ", ".join(f"{value:g}" for value in logits[row, :4].tolist())
    call = f"{call_text(logits, params)}; row {row} holds [{shown}, …]"
    got = "no error"
    try:
        step.sample_next_token(logits, replace(params))
    except Exception as error:
        if is_not_started(error):
            raise
        is_named = str(row) in str(error) and not all(str(other) in str(error) for other in (row - 1, row + 1))
        if type(error) is not RequestRefused and isinstance(error, ValueError) and is_named:
            return
        got = f"{type(error).__name__}: {error}"
    why = "this row has no distribution to draw from, and whoever looks for the cause needs its number, and no other."
    expect(False, call=call, got=got, wanted=f"a ValueError that names row {row}", why=why)
