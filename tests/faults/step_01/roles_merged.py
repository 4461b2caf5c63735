"""Writes the system prompt into the user's message.

Caught by: test_the_template_writes_both_messages
Says: it has a message of its own
Source: sgl-project/sglang#892
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "user", "content": f"{system_prompt}\n\n{user_prompt}"}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
