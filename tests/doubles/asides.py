"""What a real model and tokenizer have as well, and no step needs: a solution may log it, or ask what it was handed."""

import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any


def passing_for(*classes: tuple[str, str, str]) -> property:
    """The class that `isinstance` sees: the first whose library whoever asks has imported; else the double's.

    Each class by its name, the module to find it in, and the module whose import says that it can be found.
    """

    def seen(self: object) -> type:
        for name, module, parts in classes:
            if parts in sys.modules:
                return getattr(sys.modules[module], name)
        return type(self)

    return property(seen)


A_MODEL = ("PreTrainedModel", "transformers", "transformers.modeling_utils")
A_MODULE = ("Module", "torch.nn", "torch.nn")
A_BATCH_ENCODING = ("BatchEncoding", "transformers", "transformers.tokenization_utils_base")
A_TOKENIZER = ("PreTrainedTokenizerFast", "transformers", "transformers.tokenization_utils_base")


class OfAModel:
    """Beside the forward of a `PreTrainedModel`."""

    __class__ = passing_for(A_MODEL)
    name_or_path, main_input_name, base_model_prefix = "scripted", "input_ids", "model"
    is_gradient_checkpointing = False

    def get_input_embeddings(self) -> SimpleNamespace:
        """As in a real model, something that has a `weight`: some ask it for the device."""
        size = {"num_embeddings": self.config.vocab_size, "embedding_dim": self.config.hidden_size}
        return SimpleNamespace(weight=self.weight, **size)

    def get_output_embeddings(self) -> SimpleNamespace:
        return SimpleNamespace(weight=self.weight, out_features=self.config.vocab_size)

    def num_parameters(self, only_trainable: bool = False, exclude_embeddings: bool = False) -> int:
        return self.weight.numel()

    def get_memory_footprint(self, return_buffers: bool = True) -> int:
        return self.weight.numel() * self.weight.element_size()

    def can_generate(self) -> bool:
        return True

    @property
    def base_model(self) -> Any:
        return self


class OfATokenizer:
    """Beside the calls of a `PreTrainedTokenizerFast`."""

    __class__ = passing_for(A_TOKENIZER)


@dataclass
class OfAConfig:
    """Beside the fields of a config that a step needs."""

    hidden_size: int = 1
    num_hidden_layers: int = 1
    num_attention_heads: int = 1
    architectures: tuple[str, ...] = ("Scripted",)
    _name_or_path: str = "scripted"

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


class GenerationSettings(SimpleNamespace):
    """A generation config, which can be printed as a dictionary."""

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))
