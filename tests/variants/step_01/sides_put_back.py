"""Sets the tokenizer's sides for the length of the call, and puts back what they were."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


@contextmanager
def sides_of_its_own(tokenizer) -> Iterator[None]:
    before = tokenizer.padding_side, tokenizer.truncation_side
    tokenizer.padding_side = tokenizer.truncation_side = "left"
    try:
        yield
    finally:
        tokenizer.padding_side, tokenizer.truncation_side = before


def prepare_inputs(tokenizer, model, user_prompt: str, system_prompt: str = DEFAULT_SYSTEM_PROMPT) -> dict[str, Tensor]:
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    with sides_of_its_own(tokenizer):
        encoded = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_dict=True
        )
    return {name: torch.tensor([ids], device=model.device) for name, ids in encoded.items()}
