"""Takes the prompt for a piece of a web address.

Caught by: test_the_users_text_is_untouched
Says: as in a web address
"""

from urllib.parse import unquote

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": unquote(user_prompt)}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
