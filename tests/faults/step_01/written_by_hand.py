"""Writes ChatML by hand: right for this model, and for no other.

Caught by: test_any_template_is_followed
Says: written by hand it fits one model
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    text = f"<|im_start|>system\n{system_prompt}<|im_end|>\n<|im_start|>user\n{user_prompt}<|im_end|>\n"
    text += "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
