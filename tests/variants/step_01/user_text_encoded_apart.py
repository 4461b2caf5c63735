"""Encodes a text that holds a control token apart, so that the token is spelled out; nothing is refused."""

import torch

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    def ids_of(user):
        messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user}]
        options = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": False}
        text = tokenizer.apply_chat_template(messages, **options)
        pieces = [text] if user == user_prompt else text.split(user)
        return [tokenizer.encode(piece, add_special_tokens=False) for piece in pieces]

    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    if any(token in user_prompt for token in special):
        here = "USER_TEXT"
        while here in system_prompt:
            here += "_"
        before, after = ids_of(here)
        ids = before + tokenizer.encode(user_prompt, add_special_tokens=False, split_special_tokens=True) + after
    else:
        (ids,) = ids_of(user_prompt)
    input_ids = torch.tensor([ids], device=model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
