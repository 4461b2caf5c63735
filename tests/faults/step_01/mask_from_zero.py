"""Makes the mask from `ids != 0`, and 0 is an id like any other.

Caught by: test_the_mask_is_1_everywhere
Says: nothing is padded
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    ids = inputs["input_ids"].to(model.device)
    return {"input_ids": ids, "attention_mask": (ids > 0).long()}
