"""Where the template refuses, makes up a format.

Caught by: test_a_template_that_refuses_is_heard
Says: let the template's error through
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    try:
        text = tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
    except Exception:
        text = f"System: {system_prompt}\nUser: {user_prompt}\nAssistant:"
    inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
