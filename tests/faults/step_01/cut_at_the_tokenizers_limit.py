"""Cuts at the tokenizer's own limit, which is 1e30 where it knows of none, and no number for the tokenizer.

Caught by: test_it_gives_ids_and_mask_as_tensors
Says: nothing is cut
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages,
        add_generation_prompt=True,
        enable_thinking=False,
        truncation=True,
        max_length=tokenizer.model_max_length,
        return_tensors="pt",
        return_dict=True,
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
