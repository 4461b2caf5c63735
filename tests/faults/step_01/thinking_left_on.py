"""Says nothing of thinking, which leaves it on.

Caught by: test_thinking_is_switched_off
Says: here it got nothing of the kind
Source: huggingface/transformers#37949
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
