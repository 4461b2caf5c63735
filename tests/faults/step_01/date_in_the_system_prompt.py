"""Adds today's date to the system prompt.

Caught by: test_the_template_writes_both_messages
Says: something was put to the system prompt
Unnamed: what is shown holds the date, which is another one tomorrow
"""

from datetime import date

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    system_prompt += f"\nCurrent date: {date.today():%d %B %Y}"
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
