"""Relies on the library's defaults where it can, with every other option said outright."""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    system = {"content": system_prompt, "role": "system"}
    encoding = tokenizer.apply_chat_template(
        conversation=[system, {"content": user_prompt, "role": "user"}],
        chat_template=tokenizer.chat_template,
        add_generation_prompt=True,
        continue_final_message=False,
        padding=False,
        truncation=False,
        enable_thinking=False,
        return_tensors="pt",
    )
    names = ("input_ids", "attention_mask")
    return dict(zip(names, [encoding[name].to(device=model.device, dtype=torch.int32) for name in names]))
