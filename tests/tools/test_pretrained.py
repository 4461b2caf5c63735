"""Models out of folders and from the hub: what is loaded, and the one line that says why not."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from shared.runtime import load_runtime
from tests.doubles.model_folder import copy_folder, random_chat, refusal, save_random_chat, truncate_weights


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_random_chat(tmp_path_factory.mktemp("models") / "saved")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A copy of it that may be broken."""
    return copy_folder(saved, tmp_path / "model")


def test_a_folder_is_loaded(saved: Path) -> None:
    runtime = load_runtime(str(saved))
    built, tokenizer = random_chat()
    assert torch.equal(runtime.model.lm_head.weight, built.lm_head.weight)
    assert runtime.model.generation_config.eos_token_id == built.generation_config.eos_token_id
    assert runtime.tokenizer.chat_template == tokenizer.chat_template
    assert not runtime.model.training


def test_on_the_cpu_auto_is_float32_whatever_was_saved(folder: Path) -> None:
    load_runtime(str(folder), dtype="bfloat16").model.save_pretrained(folder)
    assert load_runtime(str(folder), device="cpu").model.dtype is torch.float32
    assert load_runtime(str(folder), device="meta").model.dtype is torch.bfloat16


def _remove(*names: str) -> Callable[[Path], None]:
    return lambda folder: [(folder / name).unlink() for name in names]


def _overwrite(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content)


def _lose_a_weight(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _misshape_a_weight(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["model.layers.1.mlp.up_proj.weight"] = torch.zeros(3, 3)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _own_code(folder: Path) -> None:
    config = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("raise SystemExit('code out of a model folder was run')")


BROKEN = [
    (_remove("config.json"), "no config.json"),
    (_overwrite("config.json", b"{"), "config.json cannot be read"),
    (_overwrite("config.json", b'{"model_type": "vit"}'), "weights cannot be read"),
    (_overwrite("config.json", b'{"model_type": "from-the-future"}'), "config.json cannot be read"),
    (_own_code, "config.json cannot be read"),
    (_remove("tokenizer.json"), "tokenizer cannot be read"),
    (_remove("tokenizer.json", "tokenizer_config.json"), "no tokenizer"),
    (_overwrite("tokenizer.json", b"{"), "tokenizer cannot be read"),
    (_remove("chat_template.jinja"), "no chat template"),
    (_remove("model.safetensors"), "weights cannot be read"),
    (truncate_weights, "weights cannot be read"),
    (_overwrite("model.safetensors", b""), "weights cannot be read"),
    (_overwrite("model.safetensors", b"version https://git-lfs\noid sha256:0"), "weights cannot be read"),
    (_lose_a_weight, "1 weights are missing, model.layers.1.mlp.up_proj.weight"),
    (_misshape_a_weight, "weights cannot be read"),
]


@pytest.mark.parametrize(("break_it", "told"), BROKEN)
def test_a_broken_folder_is_told(folder: Path, break_it: Callable[[Path], None], told: str, capfd) -> None:
    break_it(folder)
    message = refusal(folder)
    assert told in message
    assert str(folder) in message
    assert "; " in message, "what to do comes after what is wrong"
    assert capfd.readouterr().out == ""


@pytest.fixture
def hub_cache(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local cache of the hub that holds `someone/tiny` whole and `someone/half` without its weights; no hub."""
    for name in ("tiny", "half"):
        entry = tmp_path / f"models--someone--{name}"
        shutil.copytree(saved, entry / "snapshots" / "abc")
        (entry / "refs").mkdir()
        (entry / "refs" / "main").write_text("abc")
    (entry / "snapshots" / "abc" / "model.safetensors").unlink()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", _unreachable)
    return tmp_path


def _unreachable(*args: object, **kwargs: object) -> None:
    raise ConnectionError("Name or service not known\nand more")


def test_a_cached_model_of_the_hub_needs_no_network(hub_cache: Path) -> None:
    assert load_runtime("someone/tiny").model.config.hidden_size == 64


@pytest.mark.parametrize("name", ["someone/half", "someone/else"])
def test_without_a_network_the_hub_cannot_be_reached(hub_cache: Path, name: str) -> None:
    message = refusal(name)
    assert name in message
    assert "cannot be reached (ConnectionError: Name or service not known)" in message
    assert "smollm2" in message


def test_a_model_that_the_hub_does_not_know_is_told(hub_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub.errors import RepositoryNotFoundError

    def unknown(*args: object, **kwargs: object) -> None:
        raise RepositoryNotFoundError.__new__(RepositoryNotFoundError)

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", unknown)
    assert "no such model" in refusal("someone/else")


def test_a_damaged_model_in_the_cache_is_not_taken_for_a_missing_network(hub_cache: Path) -> None:
    truncate_weights(hub_cache / "models--someone--tiny" / "snapshots" / "abc")
    assert "weights cannot be read" in refusal("someone/tiny")
