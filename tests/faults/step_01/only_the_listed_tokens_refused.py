"""Goes by a list of special tokens, such as `all_special_tokens`, which does not hold them all.

Caught by: test_no_special_token_comes_in_by_text
Says: a control token counts wherever it stands
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    if any(token in user_prompt for token in tokenizer.all_special_tokens):
        raise RequestRefused("the prompt contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
