"""Makes one mask for each length, and hands it to all callers.

Caught by: test_calls_do_not_know_of_each_other
Says: make new ones at each call
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


_masks = {}


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    ids = inputs["input_ids"].to(model.device)
    mask = _masks.setdefault(ids.shape, torch.ones_like(ids))
    return {"input_ids": ids, "attention_mask": mask.to(model.device)}
