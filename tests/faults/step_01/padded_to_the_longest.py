"""Pads to the longest prompt so far.

Caught by: test_calls_do_not_know_of_each_other
Says: padding
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."
_longest = []


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    ids = inputs["input_ids"]
    missing = max(_longest) - ids.shape[1] if _longest else 0
    _longest.append(ids.shape[1])
    if missing > 0:
        ids = torch.cat([ids.new_full((1, missing), tokenizer.pad_token_id), ids], dim=-1)
    return {
        "input_ids": ids.to(model.device),
        "attention_mask": (torch.arange(ids.shape[1]) >= missing)[None].long().to(model.device),
    }
