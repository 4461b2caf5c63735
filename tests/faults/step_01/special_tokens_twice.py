"""Renders to text and tokenises it with special tokens on: two BOS.

Caught by: test_bos_is_there_once
Says: tokenise its text with add_special_tokens=False
Source: sgl-project/sglang#888
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    inputs = tokenizer(text, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
