"""Keeps a system prompt that was given for the calls that follow.

Caught by: test_the_system_prompt_is_the_one_given
Says: an earlier call's
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."
_known = {}


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    _known.setdefault("system", system_prompt)
    messages = [{"role": "system", "content": _known["system"]}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
