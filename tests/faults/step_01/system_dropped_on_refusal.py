"""Where the template refuses a system message, drops it without a word.

Caught by: test_a_template_that_refuses_is_heard
Says: let the template's error through
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    try:
        inputs = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
        )
    except Exception:
        messages = messages[1:]
        inputs = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
        )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
