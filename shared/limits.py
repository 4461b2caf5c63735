"""What a caller may ask for."""

from numbers import Integral
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class RequestRefused(ValueError):
    """What the caller did wrong, in words that the caller may read. Every other error is ours."""


def check_fits(model: "PreTrainedModel", input_tokens: int, max_new_tokens: int) -> None:
    """Refuses a request that cannot be served as asked, before the model runs; an exact fit is fine.

    Raises `RequestRefused` when `max_new_tokens` is no whole number or below 1 (it names the value), and when prompt
    and new tokens together exceed the model's context (it names all three). A model without a context has no limit.
    """
    if isinstance(max_new_tokens, bool) or not isinstance(max_new_tokens, Integral):
        raise RequestRefused(f"max_new_tokens must be a whole number, not {max_new_tokens!r}")
    if max_new_tokens < 1:
        raise RequestRefused(f"max_new_tokens must be at least 1, not {max_new_tokens}")
    context = context_length(model)
    if context is not None and input_tokens + max_new_tokens > context:
        raise RequestRefused(
            f"the prompt's {input_tokens} tokens and max_new_tokens={max_new_tokens} make "
            f"{input_tokens + max_new_tokens}, more than the model's context of {context}"
        )


def context_length(model: "PreTrainedModel") -> int | None:
    """How many tokens the model can see at once, from the config of its text part; None where it names no limit.

    GPT-2 calls it `n_positions`; its config answers to `max_position_embeddings` as well.
    """
    config = getattr(model, "config", None)
    if hasattr(config, "get_text_config"):
        config = config.get_text_config()
    return getattr(config, "max_position_embeddings", None)
