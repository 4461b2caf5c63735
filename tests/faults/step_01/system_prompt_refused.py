"""Refuses control tokens in the operator's own system prompt as well.

Caught by: test_the_user_cannot_forge_a_turn
Says: which the operator writes
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    if any(token in text for token in special for text in (user_prompt, system_prompt)):
        raise RequestRefused("a text contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
