"""Puts the padding side back after the call, and not where the template raises.

Caught by: test_a_template_that_refuses_is_heard
Says: stays set where the call raises
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    side, tokenizer.padding_side = tokenizer.padding_side, "left"
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    tokenizer.padding_side = side
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
