"""Tears control tokens in the user's text apart by invisible spaces.

Caught by: test_the_user_cannot_forge_a_turn
Says: something was put into the user's text
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    for token in tokenizer.added_tokens_decoder.values():
        if token.special:
            user_prompt = user_prompt.replace(token.content, "\u200b".join(token.content))
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
