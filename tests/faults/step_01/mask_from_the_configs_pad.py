"""Makes the mask from `ids != pad`, with the pad of the model's config.

Caught by: test_the_mask_is_1_everywhere
Says: nothing is padded
Like: mask_from_pad
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    ids = inputs["input_ids"].to(model.device)
    if model.config.pad_token_id is None:
        return {"input_ids": ids, "attention_mask": inputs["attention_mask"].to(model.device)}
    return {"input_ids": ids, "attention_mask": (ids != model.config.pad_token_id).long()}
