"""Takes what the template gives for a tensor, as it was before transformers 5.

Caught by: test_it_gives_ids_and_mask_as_tensors
Says: a mapping since transformers 5
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    input_ids = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt"
    ).to(model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
