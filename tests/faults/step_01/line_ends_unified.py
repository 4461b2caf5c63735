"""Splits the text into lines and joins them again: CRLF becomes a line feed, a last line end is lost.

Caught by: test_the_users_text_is_untouched
Says: split into lines and joined
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [
        {"role": "system", "content": system_prompt},
        {"role": "user", "content": "\n".join(user_prompt.splitlines())},
    ]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
