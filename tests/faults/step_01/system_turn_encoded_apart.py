"""Encodes the system's turn apart, which is the same for every user, and joins the rest to it.

Caught by: test_letters_are_merged_as_the_tokenizer_does
Says: pieces of the prompt were encoded apart
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    options = {"tokenize": False, "enable_thinking": False}
    shared = tokenizer.apply_chat_template(messages[:1], **options)
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, **options)
    pieces = (shared, text.removeprefix(shared))
    ids = [token for piece in pieces for token in tokenizer.encode(piece, add_special_tokens=False)]
    input_ids = torch.tensor([ids], device=model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
