"""Takes the BOS off the template's text, for fear of having it twice, and lets nobody put it back.

Caught by: test_bos_is_there_once
Says: the first token is missing
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, enable_thinking=False, tokenize=False)
    text = text.removeprefix(tokenizer.bos_token or "")
    inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
