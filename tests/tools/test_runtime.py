"""Models by name, and the model `tiny`: what is loaded, and the one line that says why not."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from shared import runtime
from shared.limits import context_length
from shared.runtime import Runtime, load_runtime
from tests.doubles.model_folder import copy_folder, refusal, truncate_weights


def test_tiny_is_ready_to_answer() -> None:
    runtime = load_runtime()
    assert isinstance(runtime, Runtime)
    assert runtime.name == "tiny"
    assert not any(part.training for part in runtime.model.modules())
    assert context_length(runtime.model) == 4096
    assert {parameter.dtype for parameter in runtime.model.parameters()} == {torch.float32}


@pytest.mark.parametrize("damage", [shutil.rmtree, truncate_weights], ids=["missing", "cut"])
def test_a_tiny_that_is_missing_or_damaged_is_told_with_how_to_get_it_back(
    damage: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_folder(runtime.TINY, tmp_path / "tiny")
    monkeypatch.setattr(runtime, "TINY", folder)
    damage(folder)
    message = refusal("tiny")
    assert str(folder) in message and "git checkout -- shared" in message


def test_device_and_dtype_are_as_asked_for() -> None:
    runtime = load_runtime("tiny", device="meta", dtype="bfloat16")
    assert {(str(p.device), p.dtype) for p in runtime.model.parameters()} == {("meta", torch.bfloat16)}
    assert load_runtime("tiny", device=torch.device("cpu"), dtype=torch.float16).model.dtype is torch.float16


def test_auto_takes_the_accelerator_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, wanted in {"cuda": "cuda", "mps": "mps", "xpu": "cpu"}.items():
        monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
        monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda kind=kind: torch.device(kind))
        assert runtime._pick_device("auto").type == wanted
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    assert runtime._pick_device("auto").type == "cpu"


@pytest.mark.parametrize("name", ["tinny", "", " ", "gpt2", "Tiny"])
def test_an_unknown_name_is_told_with_the_choices(name: str) -> None:
    message = refusal(name)
    assert repr(name) in message
    assert all(choice in message for choice in ("tiny", "smollm2", "folder", "Qwen/Qwen3-0.6B"))


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "~/no-such-folder-here", "a/b/c", "..\\models\\x"])
def test_a_missing_folder_is_told(name: str) -> None:
    assert f"no folder {name}" in refusal(name)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").touch()
    assert "give the folder" in refusal(tmp_path / "model.gguf")


def test_devices_and_dtypes_that_are_not_there_are_told() -> None:
    assert "'gpu'" in refusal("tiny", device="gpu")
    assert "'float33'" in refusal("tiny", dtype="float33")
    assert "'int8'" in refusal("tiny", dtype="int8")
    if not torch.cuda.is_available():
        assert "'cuda'" in refusal("tiny", device="cuda")
