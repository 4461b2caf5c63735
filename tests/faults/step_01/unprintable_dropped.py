"""Drops characters that cannot be printed.

Caught by: test_the_users_text_is_untouched
Says: cannot be printed were dropped
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [
        {"role": "system", "content": system_prompt},
        {"role": "user", "content": "".join(c for c in user_prompt if c.isprintable() or c in "\n\r\t ")},
    ]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
