"""Refuses what would be a control token in other letters, and is ordinary text.

Caught by: test_the_users_text_is_untouched
Says: ordinary text is never refused
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    if any(token.lower() in user_prompt.lower() for token in special):
        raise RequestRefused("the prompt contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
