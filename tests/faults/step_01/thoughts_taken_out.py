"""Takes <think>...</think> out of the user's text, as one does with an answer.

Caught by: test_the_users_text_is_untouched
Says: <think> was taken out of a text
"""

import re

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    user_prompt = re.sub(r"<think>.*?</think>", "", user_prompt, flags=re.DOTALL)
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
