"""Keeps the messages of earlier calls, in a list of the module.

Caught by: test_calls_do_not_know_of_each_other
Says: nothing is kept
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."
_messages = []


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    if not _messages:
        _messages.append({"role": "system", "content": system_prompt})
    _messages.append({"role": "user", "content": user_prompt})
    inputs = tokenizer.apply_chat_template(
        _messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
