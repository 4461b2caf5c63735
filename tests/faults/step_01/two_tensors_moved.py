"""Moves ids and mask, and leaves what else the tokenizer gives on the CPU.

Caught by: test_a_real_model_gets_its_inputs_where_it_is
Says: whatever else a tokenizer gives
"""

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    for name in ("input_ids", "attention_mask"):
        inputs[name] = inputs[name].to(model.device)
    return inputs
