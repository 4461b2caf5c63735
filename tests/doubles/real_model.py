"""Real chat models for the checks, float32 on the CPU: the one that ships, and SmolLM2; and what the library says."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import torch

from kata.failure import expect
from shared.generation import Generation
from shared.runtime import Runtime, RuntimeUnavailable, load_runtime
from shared.stopping import stop_token_ids
from tests.doubles.loop_runs import run
from tests.doubles.loop_verdicts import expect_ids
from tests.doubles.prompt_slips import DEFAULT_SYSTEM
from tests.doubles.tiny_models import library_greedy

PROMPTS = (
    "What is the capital of France?",
    "Write a haiku about rain.",
    "Explain in one sentence what a cache is.",
    "List three prime numbers.",
    "Translate 'good morning' to Spanish.",
    "Why is the sky blue?",
    "Say hello in one word.",
    "def add(a, b):",
    "Tell me a story about a fox and a 🦊 hat.",
    "Qu'est-ce que c'est ?",
)
TOLD = ("Translate 'good morning' to Spanish.", "Repeat this: 🦊🎩🙂", "What does 😀 mean?")  # accents and emoji
TERM, STORY = "What is a KV cache?", "Tell me a story about a small turtle."  # what `tiny` knows; 🐢 is in the story


@cache
def tiny() -> Runtime:
    """The trained model that ships with the kata, loaded once."""
    return load_runtime("tiny", device="cpu", dtype=torch.float32)


def smollm2() -> Runtime:
    """The model, loaded afresh, or a skip that says how to get it."""
    try:
        return load_runtime("smollm2", device="cpu", dtype=torch.float32)
    except RuntimeUnavailable as error:
        pytest.skip(str(error))


def library_inputs(runtime: Runtime, prompt: str, system: str = DEFAULT_SYSTEM) -> Any:
    """Ids and mask of a prompt, made by the library and the model's own template alone."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    options = {"add_generation_prompt": True, "enable_thinking": False, "return_tensors": "pt", "return_dict": True}
    return runtime.tokenizer.apply_chat_template(messages, **options)


def library_answer(runtime: Runtime, prompt: str, new_tokens: int) -> list[int]:
    """The ids of the library's greedy answer, the stopping EOS included."""
    stop_ids = stop_token_ids(runtime.model, runtime.tokenizer)
    return library_greedy(runtime.model, library_inputs(runtime, prompt), new_tokens, stop_ids)


@contextmanager
def forwards(model: Any) -> Iterator[list[int]]:
    """How many ids each forward takes: seen at the embedding, which it goes through however the model is called."""
    fed: list[int] = []
    hook = model.get_input_embeddings().register_forward_hook(lambda _, ids, __: fed.append(ids[0].shape[-1]))
    try:
        yield fed
    finally:
        hook.remove()


def expect_fed(fed: list[int], prompt: int, tokens: int, is_cached: bool, call: str) -> None:
    """A forward for each token: with a cache the prompt and then one id each, without one the whole sequence."""
    wanted = [prompt, *([1] * (tokens - 1))] if is_cached else list(range(prompt, prompt + tokens))
    why = "the cache holds what the model has seen: the prompt goes in once, then the newest token alone."
    why = why if is_cached else "without a cache the model sees the whole sequence at every call, one id longer."
    got, shown = (f"forwards of {ids} ids" for ids in (fed, wanted))
    expect(fed == wanted, call=call, got=got, wanted=shown, why=why)


def is_heard_out(generate: Callable[..., Generation], is_cached: bool) -> None:
    """A whole answer, one cut in the middle of a sentence, and (through the cache) some sentences of a story."""
    says_what_the_library_says(generate, tiny(), [TERM], 120, is_cached)
    says_what_the_library_says(generate, tiny(), [TERM], 24, is_cached)
    if is_cached:
        says_what_the_library_says(generate, tiny(), [STORY], 64, is_cached)


def _part(part: str, text: str) -> str:
    if part == text.rpartition(".")[0] + ".":
        return "the whole sentences of"
    return "the first sentence of" if part.rstrip(".") == text.partition(".")[0] else "the beginning of"


def says_what_the_library_says(
    generate: Callable[..., Generation],
    runtime: Runtime,
    prompts: Sequence[str],
    new_tokens: int,
    is_cached: bool,
) -> None:
    """The same greedy ids and text as the library's, prompt by prompt, from as many forwards as tokens."""
    compared = 0
    for prompt in prompts:
        with forwards(runtime.model) as fed:
            result, call = run(generate, runtime.model, prompt, runtime.tokenizer, max_new_tokens=new_tokens)
        wanted, call = library_answer(runtime, prompt, new_tokens), f"{call} on {runtime.name}"
        why = "the library's generate(do_sample=False) is the reference for what this model says."
        if result.output_ids == wanted[: len(result.output_ids)]:
            ended = runtime.tokenizer.decode(result.output_ids).rstrip().endswith(".")
            why = f"{'here a full stop ended it: ' * ended}only an EOS or the limit ends an answer, whatever it says."
        expect_ids(result.output_ids, wanted, call=f"{call}, .output_ids", why=why, varies=True)
        text = runtime.tokenizer.decode(wanted, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        why = "the ids are right: decode them without special tokens and without clean-up."
        if text.startswith(result.text):
            why = f"the ids are right, and the text is only {_part(result.text, text)} theirs: whole sentences or half "
            why += "ones, all of it is the answer."
        got, right = repr(result.text), result.text == text
        expect(right, call=f"{call}, .text", got=got, wanted=repr(text), why=why, varies=True)
        expect_fed(fed, library_inputs(runtime, prompt)["input_ids"].shape[1], len(wanted), is_cached, call)
        compared += len(wanted)
    why = "too little to compare."
    expect(compared > 5 * len(prompts), call="all prompts", got=f"{compared} tokens", wanted="more", why=why)
