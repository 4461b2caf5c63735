"""Gives position ids as well: a mapping may hold more."""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    inputs["position_ids"] = torch.arange(inputs["input_ids"].shape[1])[None]
    for name in list(inputs):
        inputs[name] = inputs[name].to(model.device)
    return inputs
