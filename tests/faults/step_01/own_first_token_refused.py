"""Looks for special tokens in the user's ids, where the tokenizer has put its own first token.

Caught by: test_bos_is_there_once
Says: adds the tokenizer's own first token
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    special = {number for number, token in tokenizer.added_tokens_decoder.items() if token.special}
    if special.intersection(tokenizer.encode(user_prompt)):
        raise RequestRefused("the prompt contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
