"""What steps 1, 2, 5 and 6 promise, once on the weights, the tokenizer and the template of a real model.

Each function is handed a solution's step (and the fixture `load` where it needs others) and raises a `CheckFailure`
where it breaks the promise. Steps 3 and 4 are compared with the library in `real_model`.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isclose, isfinite
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from kata.failure import expect
from shared.runtime import Runtime
from shared.sampling_params import SamplingParams
from tests.doubles.draws import best_tokens, call_text, drawn_by_row
from tests.doubles.loop_runs import run
from tests.doubles.loop_verdicts import expect_ids, ids_text
from tests.doubles.prompt_slips import DEFAULT_SYSTEM
from tests.doubles.prompt_verdicts import expect_prompt, expect_there
from tests.doubles.readings import FIGURES, plain_number, result_of
from tests.doubles.real_model import PROMPTS, expect_fed, forwards, library_answer, library_inputs, smollm2
from tests.doubles.sampling_best import expect_best
from tests.doubles.sampling_odds import expect_frequencies
from tests.doubles.stream_record import UNFINISHED, Chunk, Told
from tests.doubles.stream_texts import expect_text

DRAWS = 512  # rows of 49,152 logits in one batch: 100 MB
DRAWN = (  # each with a row of its own; in 512 draws a right solution fails three times running with odds below 1e-11
    SamplingParams(temperature=0.7, top_k=40),
    SamplingParams(temperature=2.0, top_k=5),  # without top_k nearly all would be other tokens
    SamplingParams(temperature=0.3),
)


def takes_the_models_own_format(step: ModuleType) -> None:
    """The ids of the model's own template, a mask of ones, the model's device; default and given system prompts."""
    runtime = smollm2()
    for user, system in [*((prompt, None) for prompt in PROMPTS), ("Hello", "You are a pirate."), ("Hello", "")]:
        prompt = expect_prompt(step, runtime.tokenizer, runtime.model, user, system)
        inputs = library_inputs(runtime, user, DEFAULT_SYSTEM if system is None else system)
        call, why = f"{prompt.call} on smollm2", "other ids that spell the same text are another prompt to the model."
        expect_ids(prompt.ids, inputs["input_ids"][0].tolist(), call=f"{call}: input_ids", why=why)
        ones, got = [1] * len(prompt.ids), ids_text(prompt.mask, "attention_mask")
        why = "without padding the model attends to every position."
        expect(prompt.mask == ones, call=call, got=got, wanted=ids_text(ones, "attention_mask"), why=why)
    expect_there(step, runtime.tokenizer, runtime.model.to("meta"))


def draws_as_the_logits_say(step: ModuleType) -> None:
    """On logits of real prompts: the best of each row, the odds of the softmax, and of each row only its own best."""
    rows = last_rows(smollm2(), PROMPTS[:2] + PROMPTS[4:5])
    expect_best(step, rows, SamplingParams(), "greedy is argmax along the last dimension, row by row.")
    why = "A real vocabulary is large and its odds are steep: divide by the temperature, keep top_k, softmax, draw."
    for row, params in zip(rows, DRAWN, strict=True):
        expect_frequencies(step, row, params, why, draws=DRAWS)
    params = SamplingParams(temperature=2.0, top_k=3)
    drawn = drawn_by_row(step, rows, params, times=32)
    best = [set(best_tokens(row, 3)) for row in rows]
    why = "each row has a k-th best value of its own, and draws apart from the others."
    is_right = all(mine <= own for mine, own in zip(drawn, best, strict=True))
    expect(is_right, call=f"{call_text(rows, params)}, 32 times", got=drawn, wanted=f"each among {best}", why=why)


def last_rows(runtime: Runtime, prompts: Sequence[str]) -> Tensor:
    """The logits (prompts, vocab) of each prompt's next token."""
    with torch.no_grad():
        return torch.cat([runtime.model(**library_inputs(runtime, each)).logits[:, -1] for each in prompts])


def sums_up_a_real_answer(step: ModuleType, load: Callable[..., ModuleType]) -> None:
    """Counts, and figures that agree with each other and with the readings, of an answer of either loop."""
    runtime = smollm2()
    for generate, cached in ((load(4).generate_cached, True), (load(3).generate_uncached, False)):
        generation, call = run(generate, runtime.model, PROMPTS[0], runtime.tokenizer, max_new_tokens=12)
        result, ids = result_of(step, generation), generation.output_ids
        given = {"text": result.text, "output_ids": result.output_ids, **vars(result.metrics)}
        wanted = {
            "text": runtime.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
            "output_ids": library_answer(runtime, PROMPTS[0], 12),
            "input_tokens": library_inputs(runtime, PROMPTS[0])["input_ids"].shape[1],
            "output_tokens": len(ids),
            "used_cache": cached,
        }
        got = {name: given[name] for name in wanted}
        call, why = f"summarize({call}) on smollm2", "counts come from ids, and the rest is handed through."
        expect(got == wanted, call=call, got=got, wanted=wanted, why=why)
        _expect_sound(result.metrics, generation.ttft_s is not None, call)


def _expect_sound(metrics: Any, is_ttft_known: bool, call: str) -> None:
    """Finite figures that fit together: nobody knows what a clock read, but these are made of the same readings."""
    n, figures = metrics.output_tokens, {name: plain_number(getattr(metrics, name), call) for name in FIGURES}
    latency, ttft, tpot = (figures[name] for name in ("latency_ms", "ttft_ms", "tpot_ms"))
    is_right = all(isfinite(value) and value >= 0 for value in figures.values()) and 0 <= ttft <= latency
    is_right = is_right and isclose(figures["throughput"] * latency, 1000 * n, rel_tol=1e-6)
    is_right = is_right and (isclose(ttft + tpot * (n - 1), latency, rel_tol=1e-6) if is_ttft_known else ttft == 0)
    wanted = f"TTFT + {n - 1} TPOT = latency > 0, throughput = {n} / latency; TTFT and TPOT 0.0 where not measured"
    why = "a person waits for the whole latency: TTFT is its beginning, TPOT what each later token takes. Milliseconds."
    expect(is_right, call=f"{call}.metrics", got=figures, wanted=wanted, why=why)
    json.dumps(metrics.as_dict(), allow_nan=False)


@dataclass(frozen=True)
class _Text:
    """The one question that `Told` asks a tokenizer."""

    tokenizer: Any

    def text(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def streams_what_the_library_says(step: ModuleType, runtime: Runtime, prompts: Sequence[str], new_tokens: int) -> None:
    """The text, in chunks that go out in time, one token a step, of answers with characters of several tokens."""
    split = 0
    for prompt in prompts:
        told, fed = _read(step, runtime, prompt, new_tokens)
        why = "on a real model this is the text of the library's own generate."
        if told.wanted.startswith(told.text):
            ended = told.text.rstrip().endswith(".")
            why = f"{'here a full stop ended it: ' * ended}only an EOS or the limit ends a stream, whatever it says."
        expect_text(told, why, varies=True)
        wrong = told.first_wrong(told.is_late)
        why = "whole text waits for nothing, and nothing is computed before it is asked for."
        expect(wrong is None, call=told.call, got=told.shown(wrong), wanted=told.shown_wanted(wrong), why=why)
        prompt_tokens = library_inputs(runtime, prompt)["input_ids"].shape[1]
        expect_fed(fed, prompt_tokens, len(told.ids), is_cached=True, call=told.call)
        split += sum(text.endswith(UNFINISHED) for text in told.texts[1:-1])
    expect(split > 0, call="all prompts", got="no character of several tokens", wanted="some", why="nothing to prove.")


def _read(step: ModuleType, runtime: Runtime, prompt: str, new_tokens: int) -> tuple[Told, list[int]]:
    """The stream read to its end, and how many ids each forward took."""
    ids = library_answer(runtime, prompt, new_tokens)
    call = f"generate_stream(model, tokenizer, {prompt!r}, max_new_tokens={new_tokens})"
    with forwards(runtime.model) as fed:
        stream = step.generate_stream(runtime.model, runtime.tokenizer, prompt, max_new_tokens=new_tokens)
        got, why = f"{len(fed)} forwards", "a stream that is made before it is read is no stream."
        expect(
            len(fed) <= 1,
            call=f"{call} on {runtime.name}, no chunk taken",
            got=got,
            wanted="0, or the prefill",
            why=why,
        )
        chunks = [Chunk(text, len(fed)) for text in stream]
    return Told(f"list({call}) on {runtime.name}", _Text(runtime.tokenizer), runtime.model, ids, chunks), fed
