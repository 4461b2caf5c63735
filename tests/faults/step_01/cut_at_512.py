"""Cuts prompts at 512 tokens.

Caught by: test_a_long_prompt_is_whole
Says: a text was cut
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor[:, :512].to(model.device) for name, tensor in inputs.items()}
