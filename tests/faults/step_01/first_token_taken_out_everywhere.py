"""Takes the first token out of the whole prompt, where somebody may have written it, and puts one in front.

Caught by: test_the_user_cannot_forge_a_turn, test_no_special_token_comes_in_by_text
Says: stays in it, word for word
Says: deleted from the user's text
"""

import torch

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    for token in tokenizer.added_tokens_decoder.values():
        if token.special and token.content in user_prompt and token.content != tokenizer.bos_token:
            raise RequestRefused("the prompt contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    bos = tokenizer.bos_token_id
    ids = tokenizer.encode(text, add_special_tokens=False)
    first = [bos] if bos is not None and ids[0] == bos else []
    input_ids = torch.tensor([first + [token for token in ids if token != bos]], device=model.device)
    return {"input_ids": input_ids, "attention_mask": torch.ones_like(input_ids)}
