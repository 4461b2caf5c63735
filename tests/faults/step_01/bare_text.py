"""Tokenises the prompt as it is, without any format.

Caught by: test_the_template_writes_both_messages
Says: this is the bare text
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    inputs = tokenizer(user_prompt, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
