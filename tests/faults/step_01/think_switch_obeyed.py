"""Lets a `/think` in the user's text switch thinking on.

Caught by: test_the_users_text_is_untouched
Says: `/think` switched thinking on
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    is_asked_to_think = user_prompt.rstrip().endswith("/think")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages,
        add_generation_prompt=True,
        enable_thinking=is_asked_to_think,
        return_tensors="pt",
        return_dict=True,
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
