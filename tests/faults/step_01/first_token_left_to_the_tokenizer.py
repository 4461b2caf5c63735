"""Takes the template's first token off for the tokenizer to add it, which adds an end token too.

Caught by: test_bos_is_there_once
Says: append none, and tokenise the template's text with add_special_tokens=False
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    text = text.removeprefix(tokenizer.bos_token or "")
    inputs = tokenizer(text, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
