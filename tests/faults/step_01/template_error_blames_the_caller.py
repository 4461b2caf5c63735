"""Makes a RequestRefused of whatever the template says: the caller gets the blame, and nobody the cause.

Caught by: test_a_template_that_refuses_is_heard
Says: the template's own error comes through
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    try:
        inputs = tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
        )
    except Exception as error:
        raise RequestRefused("the prompt does not fit the template") from error
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
