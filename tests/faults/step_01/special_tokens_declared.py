"""Tells the tokenizer anew which of its tokens are special.

Caught by: test_the_tokenizer_stays_as_it_was
Says: set nothing
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    if any(token in user_prompt for token in special):
        raise RequestRefused("the prompt contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
