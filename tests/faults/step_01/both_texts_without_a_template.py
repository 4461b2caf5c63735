"""Joins both texts by a line end, without any format.

Caught by: test_the_template_writes_both_messages
Says: this is the bare text
Like: bare_text
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    inputs = tokenizer(f"{system_prompt}\n{user_prompt}", return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
