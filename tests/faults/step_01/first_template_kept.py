"""Reads the chat template once, at the first call, for all tokenizers.

Caught by: test_any_template_is_followed
Says: another template than an earlier call's
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


_templates = []


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    _templates.append(tokenizer.chat_template)
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages,
        add_generation_prompt=True,
        enable_thinking=False,
        chat_template=_templates[0],
        return_tensors="pt",
        return_dict=True,
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
