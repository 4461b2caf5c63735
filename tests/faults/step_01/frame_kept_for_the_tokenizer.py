"""Renders the template once for each tokenizer, which may be given another one.

Caught by: test_any_template_is_followed
Says: was given another template
"""

import secrets

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."

_frames = {}


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    key = (tokenizer, system_prompt)  # by the object itself, which lives as long as its frame
    if key not in _frames:
        here = secrets.token_hex(16)
        messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": here}]
        text = tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
        _frames[key] = text.split(here)
    text = user_prompt.join(_frames[key])
    inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
