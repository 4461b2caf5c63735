"""A model folder for the tools' tests, and the line that `load_runtime` says instead of loading one."""

import shutil
from pathlib import Path

import pytest

from shared.runtime import RuntimeUnavailable, load_runtime

TEXTS = [
    "",
    " ",
    "Hello",
    "  two  spaces\n\n\ttab 12345",
    "h\u00e9llo \u65e5\u672c\u8a9e \U0001f469\u200d\U0001f467 \x00",
    "the of<think>",
]


def save_tiny(folder: Path, seed: int = 5) -> Path:
    """`tiny` as a folder of files."""
    from shared import tiny

    tokenizer = tiny.build_tokenizer()
    tokenizer.save_pretrained(folder)
    tiny.build_model(tokenizer, seed).save_pretrained(folder)
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
