"""Encodes the prompt line by line, and each line begins anew.

Caught by: test_letters_are_merged_as_the_tokenizer_does
Says: pieces of the prompt were encoded apart
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, enable_thinking=False, tokenize=False)
    lines = [tokenizer.encode(line, add_special_tokens=False) for line in text.splitlines(keepends=True)]
    ids = torch.tensor([sum(lines, [])], device=model.device)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
