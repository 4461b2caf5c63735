"""Puts a BOS first where the template wrote none: the format's own word does not count.

Caught by: test_bos_is_there_once
Says: this template writes no first token
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    ids = inputs["input_ids"]
    if tokenizer.bos_token_id is not None and ids[0, 0] != tokenizer.bos_token_id:
        ids = torch.cat([torch.tensor([[tokenizer.bos_token_id]]), ids], dim=1)
    return {"input_ids": ids.to(model.device), "attention_mask": torch.ones_like(ids).to(model.device)}
