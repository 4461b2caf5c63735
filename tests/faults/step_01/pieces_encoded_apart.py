"""Encodes what stands before the user's text, the text, and what stands after it, each apart, and joins the ids.

Caught by: test_letters_are_merged_as_the_tokenizer_does
Says: pieces of the prompt were encoded apart
"""

import secrets

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    here = secrets.token_hex(16)
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": here}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    before, after = text.split(here)
    ids = tokenizer.encode(before, add_special_tokens=False)
    ids += tokenizer.encode(user_prompt, add_special_tokens=False, split_special_tokens=True)
    ids += tokenizer.encode(after, add_special_tokens=False)
    input_ids = torch.tensor([ids], device=model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
