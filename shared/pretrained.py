"""Loads a chat model and its tokenizer as `save_pretrained` wrote them, from a folder or from the Hugging Face hub.

The library is forgiving: it fills missing weights with random ones, and makes up an empty tokenizer where there is
none. For a server both are failures, so they are looked for here, and each is told in one line.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shared.runtime import RuntimeUnavailable, in_short

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def load_folder(
    folder: Path, dtype: "str | torch.dtype", remedy: str
) -> "tuple[PreTrainedModel, PreTrainedTokenizerBase]":
    """The model in `folder`. remedy: what to do where it cannot be read, for the message of `RuntimeUnavailable`."""
    if not (folder / "config.json").is_file():
        raise RuntimeUnavailable(f"{folder}: no config.json in it, so it is no model folder; {remedy}")
    with _quiet():
        return _load(str(folder), dtype, remedy, local_files_only=True)


def load_from_hub(name: str, dtype: "str | torch.dtype") -> "tuple[PreTrainedModel, PreTrainedTokenizerBase]":
    """The model `name` of the hub: out of the local cache where it is complete there, so without a network; else
    fetched. Raises `RuntimeUnavailable` where neither is possible."""
    remedy = "choose another model, or fetch it again"
    try:
        with _quiet():
            return _load(name, dtype, remedy, local_files_only=True)
    except RuntimeUnavailable as error:
        if not isinstance(error.__cause__, OSError):  # which says that a file is not there
            raise
    _ask_hub(name)
    return _load(name, dtype, remedy, local_files_only=False)


def _load(
    source: str, dtype: "str | torch.dtype", remedy: str, local_files_only: bool
) -> "tuple[PreTrainedModel, PreTrainedTokenizerBase]":
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    options = {"local_files_only": local_files_only, "trust_remote_code": False}
    with _told(source, "config.json", remedy):
        config = AutoConfig.from_pretrained(source, **options)
    with _told(source, "tokenizer", remedy):
        tokenizer = AutoTokenizer.from_pretrained(source, **options)
    _check_tokenizer(source, tokenizer, remedy)
    with _told(source, "weights", remedy):
        model, report = AutoModelForCausalLM.from_pretrained(
            source, config=config, dtype=dtype, output_loading_info=True, **options
        )
    if missing := sorted(report["missing_keys"]):
        raise RuntimeUnavailable(f"{source}: {len(missing)} weights are missing, {missing[0]} for one; {remedy}")
    return model, tokenizer


def _check_tokenizer(source: str, tokenizer: "PreTrainedTokenizerBase", remedy: str) -> None:
    if not tokenizer.encode("Hello", add_special_tokens=False):
        raise RuntimeUnavailable(f"{source}: there is no tokenizer with it; {remedy}")
    if not tokenizer.chat_template:
        raise RuntimeUnavailable(f"{source}: its tokenizer has no chat template, so it is no chat model; choose one")


def _ask_hub(name: str) -> None:
    """Asks once whether the hub has the model: the library itself would try for half a minute without a network."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    nowhere = f"{name}: no folder of that name here, not complete in the local cache, and the Hugging Face hub"
    try:
        HfApi().model_info(name, timeout=10)
    except RepositoryNotFoundError as error:
        raise RuntimeUnavailable(f"{nowhere} shows no such model; check the spelling, or log in to see it") from error
    except Exception as error:
        raise RuntimeUnavailable(
            f"{nowhere} cannot be reached ({in_short(error)}); go online once, or choose tiny or smollm2"
        ) from error


@contextmanager
def _told(source: str, part: str, remedy: str) -> Iterator[None]:
    """Turns whatever goes wrong in reading a part of the model into one line."""
    try:
        yield
    except Exception as error:
        raise RuntimeUnavailable(f"{source}: its {part} cannot be read ({in_short(error)}); {remedy}") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no reports of the library for a load that takes a second and is checked here."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
