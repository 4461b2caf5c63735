"""Keeps the inputs of each text, and forgets that another tokenizer makes others of it.

Caught by: test_calls_do_not_know_of_each_other
Says: made of this text is kept
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


_kept = {}


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    if (user_prompt, system_prompt) not in _kept:
        _kept[user_prompt, system_prompt] = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
        )
    return {name: tensor.clone().to(model.device) for name, tensor in _kept[user_prompt, system_prompt].items()}
