"""Writes the messages in plain text where there is no chat template.

Caught by: test_a_tokenizer_without_a_template_is_an_error
Says: let the template's error through
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    if tokenizer.chat_template is None:
        inputs = tokenizer(f"{system_prompt}\n\n{user_prompt}\n", return_tensors="pt")
    else:
        inputs = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
        )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
