"""Refuses a long prompt, though nobody has said how many tokens are to come.

Caught by: test_a_long_prompt_is_whole
Says: a long prompt is not refused here
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    if inputs["input_ids"].shape[1] > 2048:
        raise RequestRefused("the prompt is too long")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
