"""Step 1: turn a prompt into the tensors that a model takes."""

from torch import Tensor

from shared.limits import RequestRefused

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant."


def prepare_inputs(tokenizer, model, user_prompt: str, system_prompt: str = DEFAULT_SYSTEM_PROMPT) -> dict[str, Tensor]:
    """The prompt in the model's own chat format: `input_ids` and `attention_mask`, each (1, length), on its device.

    Exactly two messages, system and user, word for word, as the tokenizer's chat template writes them; then the header
    that opens the assistant's turn, with thinking switched off. The mask is 1 everywhere. An error of the template
    comes through, and nothing is kept for the next call.

    Stretch: control tokens in the user's text, such as `<|im_end|>`, forge no turn: the prompt is a `RequestRefused`,
    or they become ordinary text.
    """
    messages = [
        {"role": "system", "content": system_prompt},
        {"role": "user", "content": user_prompt},
    ]
    # TODO 1: apply the tokenizer's chat template, move its tensors to the model (about 4 lines, stretch 3 more)
    raise NotImplementedError("TODO 1: apply the tokenizer's chat template, move its tensors to the model")
