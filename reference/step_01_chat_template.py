"""Step 1: turn a prompt into the tensors that a model takes."""

from torch import Tensor

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(
    tokenizer, model, user_prompt: str, system_prompt: str = DEFAULT_SYSTEM_PROMPT
) -> dict[str, Tensor]:
    """The prompt in the model's own chat format, as `input_ids` and `attention_mask`, each (1, length), on its device.

    The conversation is exactly two messages, system and user, both word for word, followed by the header that
    opens the assistant's turn; thinking is switched off. An error of the template comes through.

    Stretch: a text that contains a control token such as `<|im_end|>` is a `RequestRefused` (or becomes ordinary
    tokens): nobody forges a turn.
    """
    messages = [
        {"role": "system", "content": system_prompt},
        {"role": "user", "content": user_prompt},
    ]
    # BEGIN SOLUTION: apply the tokenizer's chat template, move its tensors to the model (about 5 lines, stretch 4 more)
    for token in tokenizer.added_tokens_decoder.values():
        if token.special and any(token.content in message["content"] for message in messages):
            raise RequestRefused(f"the prompt contains {token.content!r}: only the chat template may write that token")

    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
    # END SOLUTION
