"""Puts /no_think to the user's text where the template knows no `enable_thinking`.

Caught by: test_any_template_is_followed
Says: why:    `/no_think` in a text is one model's habit
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    if "enable_thinking" not in (tokenizer.chat_template or ""):
        user_prompt += " /no_think"
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
