"""Tokenises the rendered text so that control tokens are spelled letter by letter.

Caught by: test_control_tokens_are_single_ids
Says: letter by letter
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    inputs = tokenizer(text, add_special_tokens=False, split_special_tokens=True, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
