"""The checks of the token loops on CUDA, on random weights in the shape of Qwen3-0.6B: nothing is downloaded.

`KATA_GPU_TIER=cpu pytest -m gpu` tries the same checks on the CPU, with a tiny model, where there is no CUDA device.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

from kata.failure import expect
from shared.generation import Generation
from shared.sampling_params import SamplingParams
from tests.doubles.calls import Call
from tests.doubles.fast_tokenizer import FastTokenizer
from tests.doubles.loop_runs import PROMPT, name_of, prompt_ids, run
from tests.doubles.loop_spies import step_2_giving
from tests.doubles.loop_verdicts import difference
from tests.doubles.scripted_model import ScriptedModel
from tests.doubles.scripts import hashed
from tests.doubles.tiny_models import tiny_qwen3

TO_THE_END = SamplingParams(ignore_eos=True)
NEAR_TIE = 1e-3  # logits; in float32 the two loops differ by about 1e-5
QWEN3_06B = {
    "hidden_size": 1024,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 3072,
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "tie_word_embeddings": True,
    "initializer_range": 0.05,  # at 0.02 random weights say one token over and over
}


def place() -> torch.device:
    """The device of these checks; skips where there is none."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if os.environ.get("KATA_GPU_TIER") == "cpu":
        return torch.device("cpu")
    pytest.skip("no CUDA device here; KATA_GPU_TIER=cpu tries these checks on the CPU, with a tiny model")


def random_qwen3(dtype: torch.dtype = torch.float32, seed: int = 0) -> Any:
    """Qwen3-0.6B with random weights on the GPU, or the tiny model on the CPU."""
    device = place()
    if device.type == "cpu":
        return tiny_qwen3(seed + 1).to(dtype)
    with device:
        return tiny_qwen3(seed, **QWEN3_06B).to(dtype)


@contextmanager
def seen_by(model: Any) -> Iterator[list[dict[str, Any]]]:
    """All that the model is handed in this block: for each call its devices by name and its number of new ids."""
    calls: list[dict[str, Any]] = []

    def note(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        tensors = {f"argument {at}": each for at, each in enumerate(args)} | kwargs
        tensors = {name: each for name, each in tensors.items() if isinstance(each, Tensor)}
        ids = kwargs.get("input_ids", args[0] if args else None)
        calls.append({"devices": {name: each.device.type for name, each in tensors.items()}, "ids": ids.shape[-1]})

    hook = model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        yield calls
    finally:
        hook.remove()


def lands_on_the_device(generate: Callable[..., Generation]) -> None:
    model = random_qwen3()
    with seen_by(model) as calls:
        call = run(generate, model, max_new_tokens=8, params=TO_THE_END)[1]
    for at, each in enumerate(calls, start=1):
        elsewhere = {name: where for name, where in each["devices"].items() if where != model.device.type}
        why = "all that the model takes lies on its device, from the prompt to the last token."
        where = f"call {at} of the model in {call}"
        expect(not elsewhere, call=where, got=elsewhere, wanted=f"all on {model.device.type}", why=why)


def waits_for_the_device(generate: Callable[..., Generation]) -> None:
    """A kernel that is queued before each answer takes a known time; no reading may come before its end."""
    device, spans = place(), []

    def work(call: Call) -> None:
        spans.append(_take_a_while(device))

    model = ScriptedModel(hashed(), on_call=work, device=device)
    result, call = run(generate, model, max_new_tokens=4)
    seconds = [span() for span in spans]
    why = "CUDA works through a queue: a clock that is read before the device is done measures how fast work was "
    why += "queued; shared.clock.now() waits for it."
    for name, got, least in (("latency_s", result.latency_s, sum(seconds)), ("ttft_s", result.ttft_s, seconds[0])):
        right = got is None or got >= 0.99 * least
        expect(right, call=f"{call}.{name}", got=f"{got} s", wanted=f"at least the {least:.3f} s of its work", why=why)


def _take_a_while(device: torch.device) -> Callable[[], float]:
    """Queues work of some 20 ms; the function returned gives its seconds."""
    if device.type == "cpu":
        started = time.perf_counter()
        while time.perf_counter() < started + 0.02:
            pass
        return lambda: 0.02
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.cuda._sleep(40_000_000)  # cycles
    end.record()
    return lambda: (end.synchronize(), start.elapsed_time(end) / 1000)[1]


def gives_memory_back(generate: Callable[..., Generation]) -> None:
    model, tokenizer = random_qwen3(), FastTokenizer()

    def ask() -> None:
        generate(model, tokenizer, PROMPT, max_new_tokens=32, params=TO_THE_END)

    ask()  # what is allocated once, for good, is there now
    before = _memory(model.device)
    for _ in range(10):
        ask()
    after = _memory(model.device)
    got, wanted = f"{after:,} after ten requests more", f"{before:,}, as after the first"
    call = f"{name_of(generate)}(...), ten times: memory held"
    expect(after <= before, call=call, got=got, wanted=wanted, why="a cache lives as long as its request, no longer.")


def _memory(device: torch.device) -> int:
    """Bytes allocated on the device; on the CPU the bytes of all tensors that Python knows of."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.synchronize()
        return torch.cuda.memory_allocated()
    return sum(each.nbytes for each in gc.get_objects() if issubclass(type(each), Tensor))


def equals_uncached(step: ModuleType, step_3: ModuleType, new_tokens: int = 64) -> None:
    """Both loops say the same in float32; where the two best logits are a near tie, either may go on as it likes."""
    for seed in (0, 1):
        model, tokenizer = random_qwen3(seed=seed), FastTokenizer()
        cached, call = run(step.generate_cached, model, PROMPT, tokenizer, max_new_tokens=new_tokens, params=TO_THE_END)
        uncached = step_3.generate_uncached(model, tokenizer, PROMPT, max_new_tokens=new_tokens, params=TO_THE_END)
        differ = [
            at for at, pair in enumerate(zip(cached.output_ids, uncached.output_ids, strict=True)) if len({*pair}) > 1
        ]
        got, wanted = difference(cached.output_ids, uncached.output_ids)
        right = not differ or _gap_after(model, uncached.output_ids[: differ[0]]) < NEAR_TIE
        why = "the cache saves work and changes nothing: step 3's loop says otherwise."
        expect(right, call=f"{call}.output_ids, seed {seed}", got=got, wanted=wanted, why=why)
        expect(len(cached.output_ids) == new_tokens, call=call, got=got, wanted=f"{new_tokens} ids", why=why)


@torch.inference_mode()
def _gap_after(model: Any, output_ids: list[int]) -> float:
    """The distance of the two best logits after the prompt and these ids."""
    ids = torch.tensor([prompt_ids() + output_ids], device=model.device)
    best = model(input_ids=ids, attention_mask=torch.ones_like(ids), logits_to_keep=1).logits[0, -1].topk(2).values
    return float(best[0] - best[1])


def logits_agree(load: Callable[..., ModuleType], tolerance: float = 0.1) -> None:
    """The rows that the two loops hand to the sampler, in bfloat16, differ by rounding alone. load: the fixture.

    Tolerance: root mean square of the differences, over the logits' standard deviation. Rounding makes about 0.035 of
    it at 28 layers; a token too few in the cache, or one position off, makes 0.5 and more.
    """
    model, params, said = random_qwen3(torch.bfloat16), SamplingParams(temperature=1.0, ignore_eos=True), range(97, 113)
    handed = []
    for number, name in ((4, "generate_cached"), (3, "generate_uncached")):
        spy = step_2_giving(load(2), said)
        run(getattr(load(number, under={2: spy}), name), model, max_new_tokens=len(said), params=params)
        handed.append(torch.cat([draw.logits for draw in spy.asked]).float())
    off = float((handed[0] - handed[1]).square().mean().sqrt() / handed[1].std())
    call, why = (
        "the logits of generate_cached against generate_uncached's, bfloat16",
        "the cache changes only rounding.",
    )
    expect(
        off <= tolerance, call=call, got=f"{off:.3f} standard deviations off", wanted=f"at most {tolerance}", why=why
    )


def work_saved(step: ModuleType, step_3: ModuleType) -> str:
    """Checks how many ids each loop sends through the model, and returns a line with the times, which prove nothing."""
    model, tokenizer = random_qwen3(torch.bfloat16), FastTokenizer()
    prompt, new_tokens = len(prompt_ids()), 512 if model.device.type == "cuda" else 64
    seconds = {}
    counts = {
        step.generate_cached: prompt + new_tokens - 1,
        step_3.generate_uncached: sum(range(prompt, prompt + new_tokens)),
    }
    for generate, wanted in counts.items():
        generate(model, tokenizer, PROMPT, max_new_tokens=4, params=TO_THE_END)  # warm
        with seen_by(model) as calls:
            result, call = run(generate, model, PROMPT, tokenizer, max_new_tokens=new_tokens, params=TO_THE_END)
        got, seconds[generate] = sum(each["ids"] for each in calls), result.latency_s
        why = "with a cache the work grows with the answer, without one with its square."
        expect(got == wanted, call=call, got=f"{got:,} ids through the model", wanted=f"{wanted:,}", why=why)
    (few, many), (quick, slow) = counts.values(), seconds.values()
    return (
        f"{new_tokens} tokens on {model.device.type}: {quick:.2f} s with the cache and {slow:.2f} s without, "
        f"{slow / quick:.1f} times as long, for {many / few:.0f} times as many ids ({many:,} against {few:,})"
    )
