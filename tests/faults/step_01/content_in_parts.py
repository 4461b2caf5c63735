"""Hands each content over as a list of parts, as for models that see pictures.

Caught by: test_it_gives_ids_and_mask_as_tensors
Says: a list of parts is for models that see pictures
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    texts = {"system": system_prompt, "user": user_prompt}
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in texts.items()]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
