"""Which tokens end an answer."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def stop_token_ids(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> frozenset[int]:
    """Every id that ends an answer: the EOS of the model's generation config and the tokenizer's own.

    A chat model often has two, one that ends a turn and one that ends a document, and the two sources need not agree.
    The config holds an int, a list or None, the tokenizer an int or None. 0 is an id like any other.
    The set is empty where neither names one: then only the length ends an answer.

    Example: Qwen3's config says `[151645, 151643]`, its tokenizer `151645`.
    """
    configured = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    found = list(configured) if isinstance(configured, list | tuple) else [configured]
    found.append(getattr(tokenizer, "eos_token_id", None))
    return frozenset(int(token_id) for token_id in found if token_id is not None)
