"""Encodes the user's text apart, so that control tokens in it are spelled out; nothing is refused."""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    here = "USER_TEXT"
    while here in system_prompt:
        here += "_"
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": here}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    before, after = text.split(here)
    ids = tokenizer.encode(before, add_special_tokens=False)
    ids += tokenizer.encode(user_prompt, add_special_tokens=False, split_special_tokens=True)
    ids += tokenizer.encode(after, add_special_tokens=False)
    input_ids = torch.tensor([ids], device=model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
