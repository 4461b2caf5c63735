"""Loads a chat model and its tokenizer as `save_pretrained` wrote them, from a folder or from the Hugging Face hub.

The library is forgiving: it fills missing weights with random ones, and makes up an empty tokenizer where there is
none. For a server both are failures, so they are looked for here, and each is told in one line.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shared.runtime import RuntimeUnavailable

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Pair = tuple["PreTrainedModel", "PreTrainedTokenizerBase"]


def load_folder(folder: Path, dtype: "str | torch.dtype", remedy: str) -> Pair:
    """The model and the tokenizer in `folder`. remedy: what to do where they cannot be read, for the message."""
    if not (folder / "config.json").is_file():
        raise RuntimeUnavailable(f"{folder} holds no config.json, so it is not a model folder; {remedy}")
    with _quiet():
        return _load(str(folder), dtype, remedy, local_files_only=True)


def load_from_hub(name: str, dtype: "str | torch.dtype") -> Pair:
    """The model `name` of the hub: from the local cache where it is complete there, else fetched."""
    from huggingface_hub import scan_cache_dir  # noqa: F401
    try:
        with _quiet():
            return _load(name, dtype, "", local_files_only=True)
    except RuntimeUnavailable as error:
        if not isinstance(error.__cause__, OSError):
            raise
    _ask_hub(name)
    return _load(name, dtype, remedy="choose another model, or try again", local_files_only=False)
