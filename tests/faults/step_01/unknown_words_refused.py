"""Refuses a text whose ids hold a special one: `<unk>`, which stands for an unknown character, is special.

Caught by: test_the_user_cannot_forge_a_turn
Says: <unk> is what the tokenizer has no word for
"""

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt, system_prompt=DEFAULT_SYSTEM_PROMPT):
    special = {id_ for id_, token in tokenizer.added_tokens_decoder.items() if token.special}
    if special.intersection(tokenizer.encode(user_prompt, add_special_tokens=False)):
        raise RequestRefused("the prompt contains a control token")
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
