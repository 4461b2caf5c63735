"""Opens the assistant's turn by an empty message of its own, where thinking stays on.

Caught by: test_thinking_is_switched_off
Says: there are exactly two messages
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [
        {"role": "system", "content": system_prompt},
        {"role": "user", "content": user_prompt},
        {"role": "assistant", "content": ""},
    ]
    inputs = tokenizer.apply_chat_template(
        messages, continue_final_message=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
