"""Asks the first tokenizer for its special tokens, and refuses these with every other one.

Caught by: test_no_special_token_comes_in_by_text
Says: ask the tokenizer of this call
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


_special = []


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    if not _special:
        _special.extend(token.content for token in tokenizer.added_tokens_decoder.values() if token.special)
    if any(token in user_prompt for token in _special):
        raise RequestRefused("the prompt contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
