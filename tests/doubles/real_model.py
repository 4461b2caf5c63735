"""The check of the token loops on a real chat model, SmolLM2-135M-Instruct in float32 on the CPU."""

from collections.abc import Callable

import pytest
import torch

from kata.failure import expect
from shared.generation import Generation
from shared.runtime import Runtime, RuntimeUnavailable, load_runtime
from shared.stopping import stop_token_ids
from tests.doubles.loop_promises import run
from tests.doubles.loop_spies import expect_ids
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


def smollm2() -> Runtime:
    """The model, or a skip that says how to get it."""
    try:
        return load_runtime("smollm2", device="cpu", dtype=torch.float32)
    except RuntimeUnavailable as error:
        pytest.skip(str(error))


def says_what_the_library_says(generate: Callable[..., Generation], prompts: int, new_tokens: int) -> None:
    runtime = smollm2()
    model, tokenizer, stop_ids = runtime.model, runtime.tokenizer, stop_token_ids(runtime.model, runtime.tokenizer)
    compared = 0
    for prompt in PROMPTS[:prompts]:
        result, call = run(generate, model, prompt, tokenizer, max_new_tokens=new_tokens)
        messages = [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": prompt},
        ]
        inputs = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
        )
        why = "the library's generate(do_sample=False) is the reference for what this model says."
        wanted = library_greedy(model, inputs, new_tokens, stop_ids)
        expect_ids(result.output_ids, wanted, call=f"{call}.output_ids on smollm2", why=why)
        compared += len(wanted)
    expect(
        compared > 5 * prompts,
        call="all prompts",
        got=f"{compared} tokens",
        wanted="more",
        why="too little to compare.",
    )
