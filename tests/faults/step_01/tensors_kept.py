"""Keeps what it made for a prompt: two callers share one tensor.

Caught by: test_calls_do_not_know_of_each_other
Says: make new ones at each call
"""

from functools import lru_cache

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


@lru_cache
def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
