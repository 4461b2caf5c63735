"""Spells a text letter by letter where a control token is in it.

Caught by: test_the_user_cannot_forge_a_turn
Says: they are not spelled
"""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    is_forged = any(token.special and token.content in user_prompt for token in tokenizer.added_tokens_decoder.values())
    here = "USER_TEXT" if is_forged else user_prompt
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": here}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    before, user, after = text.partition("USER_TEXT")
    ids = tokenizer.encode(before, add_special_tokens=False)
    for letter in user_prompt if user else "":
        ids += tokenizer.encode(letter, add_special_tokens=False)
    ids += tokenizer.encode(after, add_special_tokens=False)
    input_ids = torch.tensor([ids], device=model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
