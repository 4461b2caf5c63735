"""Keeps the first tokenizer that it was handed, for all calls.

Caught by: test_calls_do_not_know_of_each_other
Says: the earlier one itself is kept
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


_kept = {}


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    tokenizer = _kept.setdefault("tokenizer", tokenizer)
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
