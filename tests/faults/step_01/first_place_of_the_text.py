"""Looks for the user's text from the start of the prompt, and finds the system message's token.

Caught by: test_the_user_cannot_forge_a_turn
Says: taken for the user's text
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    is_forged = any(token in user_prompt for token in special)
    before, user, after = text.partition(user_prompt) if is_forged else (text, "", "")
    ids = tokenizer.encode(before, add_special_tokens=False)
    ids += tokenizer.encode(user, add_special_tokens=False, split_special_tokens=True)
    ids += tokenizer.encode(after, add_special_tokens=False)
    input_ids = torch.tensor([ids], device=model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
