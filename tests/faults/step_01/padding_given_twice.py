"""Hands padding to the tokenizer among the options that `apply_chat_template` fills in itself.

Caught by: test_it_gives_ids_and_mask_as_tensors
Says: got multiple values for keyword argument
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages,
        add_generation_prompt=True,
        enable_thinking=False,
        return_tensors="pt",
        tokenizer_kwargs={"padding": False},
    )
    return inputs.to(model.device)
