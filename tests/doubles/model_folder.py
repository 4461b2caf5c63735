"""A model folder for the tools' tests, and the line that `load_runtime` says instead of loading one."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shared.runtime import RuntimeUnavailable, load_runtime

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

TEXTS = [
    "",
    " ",
    "Hello",
    "  two  spaces\n\n\ttab 12345",
    "h\u00e9llo \u65e5\u672c\u8a9e \U0001f469\u200d\U0001f467 \x00",
    "the of<think>",
]


def random_chat(seed: int = 5) -> "tuple[PreTrainedModel, PreTrainedTokenizerBase]":
    """A random Qwen3 of two layers and a byte-level tokenizer with ChatML; two EOS ids, no other wishes of its own."""
    from transformers import GenerationConfig

    from tests.doubles.tiny_models import tiny_qwen3
    from tests.doubles.tokenizers import byte_level

    tokenizer = byte_level()
    ends = [tokenizer.eos_token_id, tokenizer.pad_token_id]
    model = tiny_qwen3(seed, vocab_size=len(tokenizer), eos_token_id=ends[0], pad_token_id=ends[1])
    model.generation_config = GenerationConfig(eos_token_id=ends, pad_token_id=ends[1])
    return model, tokenizer


def save_random_chat(folder: Path, seed: int = 5) -> Path:
    """It as a folder of files."""
    for part in random_chat(seed):
        part.save_pretrained(folder)
    return folder


def truncate_weights(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])


def copy_folder(source: Path, target: Path) -> Path:
    """A copy that may be broken."""
    return Path(shutil.copytree(source, target))


def refusal(name: object, **options: object) -> str:
    """The message of the error; it is one line, and a short one."""
    with pytest.raises(RuntimeUnavailable) as caught:
        load_runtime(str(name), **options)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    return message
