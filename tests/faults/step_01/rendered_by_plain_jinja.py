"""Renders the template by Jinja itself, without what the tokenizer hands to it.

Caught by: test_a_template_that_refuses_is_heard
Says: rendered outside of the tokenizer
"""

from jinja2 import Template

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = Template(tokenizer.chat_template).render(
        messages=messages,
        add_generation_prompt=True,
        enable_thinking=False,
        bos_token=tokenizer.bos_token or "",
    )
    inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
