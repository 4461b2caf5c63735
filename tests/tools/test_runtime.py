"""Models by name, and the model `tiny`: what is loaded, and the one line that says why not."""

from pathlib import Path

import pytest
import torch

from shared import runtime, tiny
from shared.limits import context_length
from shared.runtime import Runtime, load_runtime
from shared.stopping import stop_token_ids
from tests.doubles.model_folder import TEXTS, refusal

TURN = {"add_generation_prompt": True, "tokenize": False}


def test_tiny_is_ready_to_answer() -> None:
    runtime = load_runtime()
    assert isinstance(runtime, Runtime)
    assert runtime.name == "tiny"
    assert not any(part.training for part in runtime.model.modules())
    assert context_length(runtime.model) == 4096
    assert {parameter.dtype for parameter in runtime.model.parameters()} == {torch.float32}


def test_tiny_has_two_eos_ids_in_its_generation_config() -> None:
    runtime = load_runtime()
    ends = runtime.tokenizer.convert_tokens_to_ids(["<|im_end|>", "<|endoftext|>"])
    assert runtime.model.generation_config.eos_token_id == ends
    assert runtime.tokenizer.eos_token_id == ends[0]
    assert stop_token_ids(runtime.model, runtime.tokenizer) == set(ends)


def test_tiny_is_the_same_each_time_and_leaves_the_global_rng_alone() -> None:
    tokenizer = tiny.build_tokenizer()
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    first, second, other = (tiny.build_model(tokenizer, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.rand(3), expected)
    assert torch.equal(first.lm_head.weight, second.lm_head.weight)
    assert not torch.equal(first.lm_head.weight, other.lm_head.weight)


@pytest.mark.parametrize("text", TEXTS)
def test_tinys_tokenizer_gives_back_any_text(text: str) -> None:
    tokenizer = tiny.build_tokenizer()
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_tinys_words_are_one_token_each() -> None:
    tokenizer = tiny.build_tokenizer()
    assert {word: len(tokenizer.encode(f" {word}")) for word in tiny.WORDS.split()} == dict.fromkeys(
        tiny.WORDS.split(), 1
    )


def test_tinys_marks_are_one_token_each_and_only_chatmls_are_special() -> None:
    tokenizer = tiny.build_tokenizer()
    marks = "<|im_start|><|im_end|><|endoftext|><think></think>"
    ids = tokenizer.encode(marks)
    assert len(ids) == 5
    assert tokenizer.decode(ids, skip_special_tokens=True) == "<think></think>"


@pytest.mark.parametrize("thinking", [True, None, 0, "false"])
def test_tinys_template_is_chatml_and_thinks_unless_told_false(thinking: object) -> None:
    tokenizer = tiny.build_tokenizer()
    messages = [{"role": "system", "content": " s "}, {"role": "user", "content": "u\n"}]
    prompt = "<|im_start|>system\n s <|im_end|>\n<|im_start|>user\nu\n<|im_end|>\n<|im_start|>assistant\n"
    assert tokenizer.apply_chat_template(messages, enable_thinking=thinking, **TURN) == prompt
    assert tokenizer.apply_chat_template(messages, **TURN) == prompt
    off = tokenizer.apply_chat_template(messages, enable_thinking=False, **TURN)
    assert off == prompt + "<think>\n\n</think>\n\n"


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
