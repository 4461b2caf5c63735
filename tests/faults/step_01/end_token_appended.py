"""Ends the prompt with EOS, as in training.

Caught by: test_thinking_is_switched_off
Says: an end token was put after the prompt
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    inputs = tokenizer(text + tokenizer.eos_token, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
