"""Writes the empty thought of one model behind any header that has none.

Caught by: test_any_template_is_followed
Says: the empty thought was written by hand
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    if not text.endswith("</think>\n\n"):
        text += "<think>\n\n</think>\n\n"
    inputs = tokenizer(text, return_tensors="pt", add_special_tokens=False)
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
