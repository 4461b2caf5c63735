"""Lets the template write the messages, and the header by hand.

Caught by: test_any_template_is_followed
Says: written by hand it fits one model
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    text += "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
