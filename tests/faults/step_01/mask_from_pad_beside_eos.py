"""Makes the mask from `ids != pad`, but for models whose pad is EOS.

Caught by: test_the_mask_is_1_everywhere
Says: nothing is padded
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    ids = inputs["input_ids"].to(model.device)
    if tokenizer.pad_token_id in (None, tokenizer.eos_token_id):
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    return {"input_ids": ids, "attention_mask": (ids != tokenizer.pad_token_id).long()}
