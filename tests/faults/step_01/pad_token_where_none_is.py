"""Gives the tokenizer a pad token where it has none, as tutorials do.

Caught by: test_the_tokenizer_stays_as_it_was
Says: this tokenizer has no pad token
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
