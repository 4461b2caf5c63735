"""Renders the template with a mark, and puts the user's text in its place: a system prompt may hold the mark too.

Caught by: test_the_system_prompt_is_the_one_given
Says: in the place of a text, and a text may hold it
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": "@@USER@@"}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=False)
    text = text.replace("@@USER@@", user_prompt)
    inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
