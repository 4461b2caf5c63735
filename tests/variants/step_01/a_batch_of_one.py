"""Hands the template a batch of one conversation, and gives the library's own mapping back."""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        [messages], add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return inputs.to(model.device)
