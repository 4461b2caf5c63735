"""Does not open the assistant's turn.

Caught by: test_the_assistants_turn_is_opened
Says: add_generation_prompt=True
Source: oobabooga/text-generation-webui#7565
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(messages, enable_thinking=False, return_tensors="pt", return_dict=True)
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
