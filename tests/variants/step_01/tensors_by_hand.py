"""Asks for plain ids and builds the tensors, on the device of the model's first parameter."""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    ids = tokenizer.apply_chat_template(messages, add_generation_prompt=True, enable_thinking=False, return_dict=False)
    device = next(model.parameters()).device
    input_ids = torch.tensor(ids, dtype=torch.long, device=device).unsqueeze(0)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
