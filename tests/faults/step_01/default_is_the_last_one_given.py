"""Takes a system prompt that was given for the default of all calls that follow.

Caught by: test_the_system_prompt_is_the_one_given
Says: an earlier call's
Like: system_prompt_remembered
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."
_current = {"system": DEFAULT_SYSTEM_PROMPT}


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=None):
    if system_prompt is not None:
        _current["system"] = system_prompt
    messages = [{"role": "system", "content": _current["system"]}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
