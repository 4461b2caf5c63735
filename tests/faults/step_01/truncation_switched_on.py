"""Asks for truncation, as a training script does: the prompt is cut where the tokenizer has a limit.

Caught by: test_a_long_prompt_is_whole
Says: no truncation
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages,
        add_generation_prompt=True,
        enable_thinking=False,
        truncation=True,
        return_tensors="pt",
        return_dict=True,
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
