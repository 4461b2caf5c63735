"""Asks for lists, and has the encoding made into a batch of tensors in place."""

from torch import Tensor

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt: str, system_prompt: str = DEFAULT_SYSTEM_PROMPT) -> dict[str, Tensor]:
    messages = [{"role": "system", "content": system_prompt}, {"role": "user", "content": user_prompt}]
    if any(token.special and token.content in user_prompt for token in tokenizer.added_tokens_decoder.values()):
        raise RequestRefused("the prompt holds a control token")
    encoding = tokenizer.apply_chat_template(messages, add_generation_prompt=True, enable_thinking=False)
    encoding.convert_to_tensors("pt", prepend_batch_axis=True)
    encoding.data = {name: encoding.data[name] for name in ("input_ids", "attention_mask")}
    return encoding.to(model.device)
