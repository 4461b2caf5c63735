"""Tells the template a date, for the same prompt every day.

Caught by: test_any_template_is_followed
Says: no documents, no date
Like: tools_as_an_empty_list
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages,
        add_generation_prompt=True,
        date_string="26 Jul 2024",
        enable_thinking=False,
        return_tensors="pt",
        return_dict=True,
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
